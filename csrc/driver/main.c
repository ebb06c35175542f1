/* pycoro-c++ and pycoro-cc: compile one unit by one process of clang with pycoro's plugin. Python does not start,
   because that takes half as long as compiling a small unit. If no dialect with coroutines is compiled, clang replaces
   this process. For all other command lines the driver in Python does, src/pycoro_driver.
   clang runs with the plugin and with -v, so that it prints the job that it executes. Only then it is known whether the
   plugin was allowed to lower the unit, with this pass string. If not, the result is discarded. The object is first
   written beside its final name, and replaces that only if the job is right.
   Requires: DRIVER_LANGUAGE, "c++" or "cc". Guarantees: before the driver in Python runs, nothing is printed, and the
   object is not changed. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/starts_with.h"
#include "base/write_all.h"
#include "driver/command_line.h"
#include "driver/find_programs.h"
#include "driver/process.h"
#include "driver/verbose_output.h"

extern char **environ;

/* Environment variables with which clang's driver prints or records its options, or changes them, and those of pycoro
   that change the lowering. */
static const char *const variables[] = {
    "CC_PRINT_",
    "CC_LOG_",
    "CCC_",
    "RC_DEBUG_",
    "PYCORO_REPORT=",
    "PYCORO_PASSES=",
    "PYCORO_CACHE_FRAMES=",
    "PYCORO_INFER_CAPTURES=",
};
static const char ending[] = ".tmp";
enum { SPARE_OPTIONS = 16 }; /* at least the number of arguments that are added to those of the user */

static bool environment_changes_compilation(void)
{
  for (char **entry = environ; *entry; entry++)
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
      if (coro_starts_with(*entry, variables[i]))
        return true;
  return false;
}

/* Allocates the directory of a file: "." if its name has none. */
static char *directory_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

static const char *name_in_directory(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Whether a compiler may create or replace the file by another one of its directory. */
static bool may_create_or_replace(const char *path)
{
  struct stat state;
  char *folder = directory_of(path);
  bool is_writable = *path && strcmp(path, "-") != 0 && folder && access(folder, W_OK) == 0;
  free(folder);
  if (is_writable && stat(path, &state) == 0 && S_ISREG(state.st_mode))
    return access(path, W_OK) == 0;
  return is_writable && lstat(path, &state) != 0;
}

/* Allocates an unused file name in the directory of an output. It is short enough for every file system. */
static char *temporary_beside(const char *output)
{
  unsigned char random[6];
  const char *name = name_in_directory(output);
  int length = (int)strlen(name), folder = (int)(name - output);
  for (length = length > 40 ? 40 : length; ((unsigned char)name[length] & 0xc0) == 0x80;)
    length--; /* to the beginning of a character of UTF-8 */
  char *path = NULL;
  if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random ||
      asprintf(&path, "%.*s%.*s-%02x%02x%02x%02x%02x%02x%s", folder, output, length, name, random[0], random[1],
               random[2], random[3], random[4], random[5], ending) < 0)
    return NULL;
  return path;
}

/* Deletes a temporary output, and files that clang names after it. */
static void delete_files_named_after(const char *temporary)
{
  const char *name = name_in_directory(temporary);
  size_t stem = strlen(name) - strlen(ending);
  char *path = directory_of(temporary);
  DIR *folder = path ? opendir(path) : NULL;
  for (const struct dirent *entry; folder && (entry = readdir(folder));)
    if (strncmp(entry->d_name, name, stem) == 0)
      unlinkat(dirfd(folder), entry->d_name, 0);
  if (folder)
    closedir(folder);
  free(path);
}

/* Appends the options that clang's driver derives from a terminal on standard error. */
static int append_terminal_options(const char **command)
{
  const char *terminal = getenv("TERM");
  struct winsize size = {0};
  char *length = NULL;
  if (!isatty(STDERR_FILENO) || !terminal || strcmp(terminal, "dumb") == 0 ||
      ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0)
    return 0;
  *command = "-fcolor-diagnostics";
  if (!size.ws_col || asprintf(&length, "-fmessage-length=%d", size.ws_col) < 0)
    return 1;
  command[1] = length;
  return 2;
}

/* Appends the options that name the object, and the dependencies as if it had its final name. */
static bool append_output_options(const struct compilation *unit, const char *temporary, const char **command)
{
  int count = 0;
  command[count++] = "-o";
  command[count++] = temporary;
  if (unit->writes_dependencies && !unit->names_dependency_file) {
    const char *name = name_in_directory(unit->output), *dot = strrchr(name, '.');
    char *dependencies = NULL;
    if (asprintf(&dependencies, "%.*s.d", (int)(dot ? (size_t)(dot - unit->output) : strlen(unit->output)),
                 unit->output) < 0)
      return false;
    command[count++] = "-MF";
    command[count++] = dependencies;
  }
  if (unit->writes_dependencies && !unit->names_dependent_target) {
    command[count++] = "-MQ";
    command[count++] = unit->output;
  }
  return true;
}

/* Whether the job writes the temporary object, and no other file that is named after it, and may use the plugin. */
static bool is_expected_job(const struct verbose_output *said, const struct compilation *unit, const char *temporary)
{
  const char *name = name_in_directory(temporary);
  char *stem = strndup(name, strlen(name) - strlen(ending));
  int named = 0;
  bool is_named = stem;
  for (int i = 0; is_named && i < said->word_count; i++) {
    if (strstr(said->words[i], stem)) {
      named++;
      is_named = strcmp(said->words[i], temporary) == 0;
    }
  }
  free(stem);
  return is_named && named == 1 &&
         command_line_job_may_use_plugin(said->word_count - 1, said->words + 1, unit->level) &&
         !strstr(said->messages, name);
}

/* Runs clang. Returns false, without output, if the driver in Python must compile the unit. `*lowers_separately`
   becomes true if the plugin rejected a coroutine. */
static bool compile_to_temporary(const char *clang, const struct compilation *unit, const char *temporary, int *status,
                                 bool *lowers_separately)
{
  const char *plugin = find_plugin();
  const char **command = calloc((size_t)unit->option_count + SPARE_OPTIONS, sizeof *command);
  char *plugin_option = NULL, passes[64], level[64];
  if (!plugin || !command || asprintf(&plugin_option, "-fpass-plugin=%s", plugin) < 0)
    return false;
  const char *added[] = {clang, "-v", "-Xclang", "-disable-llvm-passes", plugin_option, "-fno-crash-diagnostics"};
  int count = sizeof added / sizeof *added;
  memcpy(command, added, sizeof added);
  count += append_terminal_options(command + count);
  memcpy(command + count, unit->options, (size_t)unit->option_count * sizeof *command);
  if (!append_output_options(unit, temporary, command + count + unit->option_count))
    return false;
  snprintf(passes, sizeof passes, "PYCORO_PLUGIN_PASSES=default<%s>", unit->level);
  snprintf(level, sizeof level, "PYCORO_PLUGIN_LEVEL=%s", unit->level);
  struct process_result done;
  struct verbose_output said;
  if (!process_run_captured(command, "PYCORO_PLUGIN_OUTCOME=", (const char *const[]){passes, level}, &done))
    return false;
  *lowers_separately = done.status == 0 && strcmp(done.outcome, "loaded") == 0;
  bool is_lowered = done.status == 0 && strcmp(done.outcome, "lowered") == 0;
  bool has_errors = done.status == 1 && strcmp(done.outcome, "loaded") == 0;
  if (process_deferred_signal() || (!is_lowered && !has_errors) || strlen(done.errors) != done.errors_size ||
      !verbose_output_parse(done.errors, &said) || !is_expected_job(&said, unit, temporary))
    return false;
  struct stat state;
  if (is_lowered && rename(temporary, unit->output) != 0)
    return false;
  if (has_errors && stat(unit->output, &state) == 0 && S_ISREG(state.st_mode))
    unlink(unit->output);
  (void)write_all(STDOUT_FILENO, done.output, done.output_size);
  (void)write_all(STDERR_FILENO, said.driver_messages, strlen(said.driver_messages));
  (void)write_all(STDERR_FILENO, said.messages, strlen(said.messages));
  *status = done.status;
  return true;
}

static bool compile(const char *clang, int count, char **arguments, int *status, bool *lowers_separately)
{
  struct compilation unit;
  if (!command_line_parse(count, arguments, &unit) || environment_changes_compilation() ||
      !may_create_or_replace(unit.output))
    return false;
  char *temporary = temporary_beside(unit.output);
  if (!temporary)
    return false;
  process_defer_signals();
  bool is_compiled = compile_to_temporary(clang, &unit, temporary, status, lowers_separately);
  if (!is_compiled)
    delete_files_named_after(temporary);
  if (process_deferred_signal())
    exit(128 + process_deferred_signal());
  return is_compiled;
}

/* Replaces this process by the driver in Python. */
static void execute_python(int count, char **arguments, bool lowers_separately)
{
  const char *python = find_sibling("pycoro-driver");
  char **command = calloc((size_t)count + 4, sizeof *command);
  if (python && command) {
    int used = 0;
    command[used++] = (char *)python;
    command[used++] = DRIVER_LANGUAGE;
    if (lowers_separately)
      command[used++] = "--pycoro-separate";
    memcpy(command + used, arguments, (size_t)count * sizeof *command);
    execv(python, command);
  }
  perror(python ? python : "pycoro-" DRIVER_LANGUAGE);
}

int main(int count, char **arguments)
{
  int status = 0;
  bool lowers_separately = false;
  const char *clang = find_clang(CLANG_PROGRAM, CLANG_VARIABLE);
  if (count < 1)
    return 1;
  if (clang && command_line_cannot_have_coroutines(count - 1, arguments + 1) && !getenv("CCC_OVERRIDE_OPTIONS")) {
    arguments[0] = (char *)clang;
    execv(clang, arguments);
  }
  if (clang && compile(clang, count - 1, arguments + 1, &status, &lowers_separately))
    return status;
  execute_python(count - 1, arguments + 1, lowers_separately);
  return 1;
}
