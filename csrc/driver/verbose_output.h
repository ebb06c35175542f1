/* Reads what `clang -v` prints to standard error for one compilation: messages of the driver, its job, the lines of
   `clang -cc1 -v`, and messages of the compilation.
   Requires: nothing. Guarantees: words and messages point into the text, which is modified. */
#pragma once

#include <stdbool.h>

struct verbose_output {
  char *driver_messages; /* lines with a severity that precede the job */
  const char **words;    /* words of the job: program and arguments */
  int word_count;
  char *messages; /* those of the compilation, without the lines that are printed because of -v */
};

/* Parses the text. Returns false if it has no job, or incomplete lines of -v, or if memory is out. */
bool verbose_output_parse(char *text, struct verbose_output *output);
