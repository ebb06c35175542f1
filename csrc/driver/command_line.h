/* The command line of a compilation that pycoro-c++ can run as one process of clang, with pycoro's plugin.
   Requires: nothing. Guarantees: texts of a compilation point into the command line. */
#pragma once

#include <stdbool.h>

struct compilation {
  const char *source;
  const char *output;
  const char *level;           /* of the pass string: O0, O1, O2, O3, Os or Oz */
  const char **options;        /* all arguments but -o and its value */
  int option_count;            /* number of them */
  bool writes_dependencies;    /* -MD or -MMD */
  bool names_dependency_file;  /* -MF */
  bool names_dependent_target; /* -MT or -MQ */
};

/* Parses the arguments of a command line. Returns false unless they compile one C++ source to a named object, with no
   options but those for which it is known that clang writes nothing that depends on the name of the object, or on
   -v and -fpass-plugin. */
bool command_line_parse(int count, char **arguments, struct compilation *unit);

/* Whether clang can run the command line alone, because no dialect with coroutines is compiled. If that depends on more
   than single arguments, the result is false. */
bool command_line_cannot_have_coroutines(int count, char **arguments);

/* The level of a pass string that the options of clang or of clang -cc1 select. */
const char *command_line_level(int count, const char *const *options);

/* Whether the arguments of clang -cc1, after `clang`, compile C++ with coroutines to an object at this level, and
   request no pass of clang. -disable-llvm-passes and -fpass-plugin, which pycoro-c++ adds, are ignored. */
bool command_line_job_may_use_plugin(int count, const char *const *arguments, const char *level);
