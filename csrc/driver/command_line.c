/* Tables of clang's options, and searches in them. driver_tables.h has those of the driver in Python. */
#include "driver/command_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/starts_with.h"
#include "driver_tables.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *const suffixes[] = {".cpp", ".cc", ".cxx", ".C", ".c++"};

/* Allowed options without a value. */
static const char *const alone[] = {
    "-c",
    "-w",
    "-pipe",
    "-pthread",
    "-pedantic",
    "-pedantic-errors",
    "-Qunused-arguments",
    "-nostdinc",
    "-nostdinc++",
    "-MD",
    "-MMD",
    "-MP",
    "-g",
    "-g0",
    "-g1",
    "-g2",
    "-g3",
    "-ggdb",
    "-ggdb1",
    "-ggdb2",
    "-ggdb3",
    "-gdwarf-4",
    "-gdwarf-5",
    "-gline-tables-only",
    "-m32",
    "-m64",
    "-mno-red-zone",
    "-fPIC",
    "-fpic",
    "-fno-PIC",
    "-fno-pic",
    "-fPIE",
    "-fpie",
    "-fno-PIE",
    "-fno-pie",
    "-fno-plt",
    "-fexceptions",
    "-fno-exceptions",
    "-frtti",
    "-fno-rtti",
    "-fcoroutines",
    "-fchar8_t",
    "-fno-char8_t",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-function-sections",
    "-fno-data-sections",
    "-fomit-frame-pointer",
    "-fno-omit-frame-pointer",
    "-fno-omit-leaf-frame-pointer",
    "-fstrict-aliasing",
    "-fno-strict-aliasing",
    "-fvisibility-inlines-hidden",
    "-fstack-protector",
    "-fstack-protector-strong",
    "-fstack-protector-all",
    "-fno-stack-protector",
    "-fstack-clash-protection",
    "-fcf-protection",
    "-fno-semantic-interposition",
    "-fwrapv",
    "-ffast-math",
    "-fno-math-errno",
    "-fno-common",
    "-fno-ident",
    "-fsigned-char",
    "-funsigned-char",
    "-fsized-deallocation",
    "-fno-sized-deallocation",
    "-fno-threadsafe-statics",
    "-fno-delete-null-pointer-checks",
    "-fstandalone-debug",
    "-fno-limit-debug-info",
    "-fcolor-diagnostics",
    "-fno-color-diagnostics",
    "-fdiagnostics-color",
    "-fno-diagnostics-color",
    "-fno-caret-diagnostics",
    "-fasynchronous-unwind-tables",
    "-fno-asynchronous-unwind-tables",
};
/* Allowed options that take the next argument as their value. */
static const char *const with_value[] = {
    "-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-MF", "-MT", "-MQ", "-o",
};
/* Beginnings of allowed options. */
static const char *const beginnings[] = {
    "-D",
    "-U",
    "-I",
    "-std=",
    "-stdlib=",
    "--sysroot=",
    "-march=",
    "-mtune=",
    "-mcpu=",
    "-mcmodel=",
    "-mfpmath=",
    "-msse",
    "-mno-sse",
    "-mavx",
    "-mno-avx",
    "-mbmi",
    "-mfma",
    "-mpopcnt",
    "-fvisibility=",
    "-ftls-model=",
    "-fcf-protection=",
    "-ftemplate-depth=",
    "-ftemplate-backtrace-limit=",
    "-fconstexpr-depth=",
    "-fconstexpr-steps=",
    "-ferror-limit=",
    "-fdiagnostics-color=",
    "-fmacro-prefix-map=",
    "-fdebug-prefix-map=",
    "-ffile-prefix-map=",
    "-ftrivial-auto-var-init=",
};

/* Beginnings of response files, of options with options, of those that may only resemble options, and of pycoro's. */
static const char *const indirect[] = {"@", "--config", "-X", "--pycoro-", "-fplugin-arg-pycoro-"};
/* Options that may select a dialect with coroutines by the next argument; IR; an option with additional output. */
static const char *const deciding[] = {"-std", "--std", "ir", "-xir", "--language=ir", "--version"};
static const char *const ir_suffixes[] = {".ll", ".bc"};

static bool is_in(const char *word, const char *const *table, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(word, table[i]) == 0)
      return true;
  return false;
}

static bool begins_with_one_of(const char *word, const char *const *table, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (coro_starts_with(word, table[i]))
      return true;
  return false;
}

static bool ends_with_one_of(const char *word, const char *const *table, size_t count)
{
  size_t length = strlen(word);
  for (size_t i = 0; i < count; i++) {
    size_t ending = strlen(table[i]);
    if (length >= ending && strcmp(word + length - ending, table[i]) == 0)
      return true;
  }
  return false;
}

static bool is_source(const char *word)
{
  return word[0] != '-' && word[0] != '@' && ends_with_one_of(word, suffixes, COUNT(suffixes));
}

/* A line break would end the printed job; a file in /dev might be standard input, which can be read only once. */
static bool is_ambiguous(const char *word)
{
  return strchr(word, '\n') || strstr(word, "/dev/");
}

static const char *named_level(const char *word)
{
  for (size_t i = 0; i < COUNT(levels); i++)
    if (strcmp(word, levels[i].option) == 0)
      return levels[i].level;
  return NULL;
}

const char *command_line_level(int count, const char *const *options)
{
  for (int i = count - 1; i >= 0; i--) {
    const char *word = options[i], *level = named_level(word);
    if (level)
      return level;
    if (coro_starts_with(word, "-O") && word[2] && word[2 + strspn(word + 2, "0123456789")] == '\0')
      return "O3"; /* clang clamps an unknown level to its highest */
  }
  return "O0";
}

bool command_line_parse(int count, char **arguments, struct compilation *unit)
{
  bool compiles = false;
  *unit = (struct compilation){.options = calloc((size_t)count + 1, sizeof *unit->options)};
  if (!unit->options)
    return false;
  for (int i = 0; i < count; i++) {
    const char *word = arguments[i];
    bool has_value = is_in(word, with_value, COUNT(with_value));
    const char *value = has_value ? arguments[++i] : ""; /* NULL after the last argument */
    if (!value || is_ambiguous(word) || is_ambiguous(value))
      return false;
    if (strcmp(word, "-o") == 0) {
      if (unit->output)
        return false;
      unit->output = value;
      continue;
    }
    unit->options[unit->option_count++] = word;
    if (has_value) {
      unit->options[unit->option_count++] = value;
      unit->names_dependency_file |= strcmp(word, "-MF") == 0;
      unit->names_dependent_target |= strcmp(word, "-MT") == 0 || strcmp(word, "-MQ") == 0;
    } else if (is_in(word, alone, COUNT(alone))) {
      compiles |= strcmp(word, "-c") == 0;
      unit->writes_dependencies |= strcmp(word, "-MD") == 0 || strcmp(word, "-MMD") == 0;
    } else if (is_source(word)) {
      if (unit->source)
        return false;
      unit->source = word;
    } else if (!named_level(word) && !begins_with_one_of(word, beginnings, COUNT(beginnings)) &&
               (!coro_starts_with(word, "-W") || strchr(word, ','))) { /* -Wl,... and others pass options to programs */
      return false;
    }
  }
  unit->level = command_line_level(unit->option_count, unit->options);
  return unit->source && unit->output && compiles;
}

/* Tests for C++20 or a later year; the years of C++98 and C++03 are not between 20 and 97. */
static bool enables_coroutines(const char *word)
{
  for (size_t i = 0; i < COUNT(standards); i++) {
    if (!coro_starts_with(word, standards[i]))
      continue;
    const char *year = strstr(word, "++") + 2;
    return strcmp(year, "latest") == 0 || (strlen(year) == 2 && strcmp(year, "20") >= 0 && strcmp(year, "98") < 0);
  }
  return strstr(word, "coroutines");
}

bool command_line_cannot_have_coroutines(int count, char **arguments)
{
  for (int i = 0; i < count; i++) {
    const char *word = arguments[i];
    if (begins_with_one_of(word, indirect, COUNT(indirect)) || is_in(word, deciding, COUNT(deciding)) ||
        ends_with_one_of(word, ir_suffixes, COUNT(ir_suffixes)) || enables_coroutines(word))
      return false;
  }
  return true;
}

bool command_line_job_may_use_plugin(int count, const char *const *arguments, const char *level)
{
  bool emits_object = false, has_coroutines = false, is_cxx = false;
  bool is_tuned = strcmp(level, "O2") && strcmp(level, "O3") && strcmp(level, "Os");
  if (count < 1 || strcmp(arguments[0], "-cc1") != 0)
    return false;
  for (int i = 1; i < count; i++) {
    const char *word = arguments[i];
    if (strcmp(word, "-disable-llvm-passes") == 0 || coro_starts_with(word, "-fpass-plugin="))
      continue;
    if (begins_with_one_of(word, clangs_passes, COUNT(clangs_passes)) ||
        is_in(word, other_actions, COUNT(other_actions)) || coro_starts_with(word, "-ast-") ||
        coro_starts_with(word, "-fthinlto-index=") || strcmp(word, "-disable-llvm-optzns") == 0 ||
        strcmp(word, "-emit-llvm") == 0 || strcmp(word, "-working-directory") == 0)
      return false;
    emits_object |= strcmp(word, "-emit-obj") == 0;
    has_coroutines |= enables_coroutines(word);
    if (strcmp(word, "-x") == 0 && i + 1 < count)
      is_cxx = strcmp(arguments[i + 1], "c++") == 0;
  }
  for (size_t i = 0; !is_tuned && is_in(tuned[i], arguments, (size_t)count); i++)
    is_tuned = i + 1 == COUNT(tuned);
  return emits_object && has_coroutines && is_cxx && is_tuned &&
         strcmp(command_line_level(count, arguments), level) == 0;
}
