/* Expands optimization levels to pass strings. */
#include "grammar/level.h"

#include <string.h>

#include "base/starts_with.h"

static const char *const families[] = {"default", "thinlto-pre-link", "lto-pre-link", "thinlto", "lto"};
static const char *const levels[] = {"O0", "O1", "O2", "O3", "Os", "Oz"};
enum { FAMILIES = sizeof families / sizeof *families, LEVELS = sizeof levels / sizeof *levels };

static const struct {
  const char picture[FAMILIES * (LEVELS + 1)]; /* indexed by family: one character per level and a terminator */
  const char *text;
} pieces[] = {
#define LLVM_LEVEL_PIECE(picture, text) {picture, text},
#include "llvm_levels.def"
};
enum { PIECES = sizeof pieces / sizeof *pieces };

static int index_of_level_family_or_minus_1(const char *name)
{
  size_t length = strcspn(name, "<");
  for (int f = 0; f < FAMILIES; f++)
    if (strlen(families[f]) == length && !memcmp(name, families[f], length))
      return f;
  return -1;
}

bool level_is_family_name(const char *name)
{
  return index_of_level_family_or_minus_1(name) >= 0;
}

/* The table column of the element; -1: not a level. */
static int table_column_of_level_or_minus_1(const char *name)
{
  int family = index_of_level_family_or_minus_1(name);
  const char *parameter = strchr(name, '<');
  for (int l = 0; l < LEVELS && family >= 0 && parameter; l++)
    if (!strncmp(parameter + 1, levels[l], 2) && !strcmp(parameter + 3, ">"))
      return family * (LEVELS + 1) + l;
  return -1;
}

const char *level_pass_string_or_null(struct coro_arena *arena, const char *name)
{
  int column = table_column_of_level_or_minus_1(name);
  size_t length = 0;
  if (column < 0)
    return NULL;
  for (int i = 0; i < PIECES; i++)
    length += pieces[i].picture[column] == '.' ? 0 : strlen(pieces[i].text);
  char *string = CORO_NEW_ARRAY(arena, char, length + 1), *to = string;
  for (int i = 0; i < PIECES && string; i++) {
    if (pieces[i].picture[column] == '.')
      continue;
    size_t part = strlen(pieces[i].text);
    memcpy(to, pieces[i].text, part);
    to += part;
  }
  return string;
}

/* Skips passes that pycoro's levels have in addition to LLVM's. */
static const char *skip_pycoro_addition_if_any(const char *text)
{
  static const char *const own[] = {"<reuse-storage-unless-debug>", "<reuse-storage>", "dfa-jump-threading,",
                                    "function(coro-elide),"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (coro_starts_with(text, own[i]))
      return text + strlen(own[i]);
  return text;
}

/* Whether only the end of the pipeline is left, with or without opt's printer. */
static bool is_end_of_printed_level(const char *rest, bool inside)
{
  const char *end = inside ? ")" : "", *verify = ",verify";
  return !strcmp(rest, end) || (coro_starts_with(rest, verify) && !strcmp(rest + strlen(verify), end));
}

/* Whether opt prints the level of this column like that, alone or in module(...), without pycoro's additions. */
static bool level_is_printed_without_additions(int column, const char *passes)
{
  bool inside = coro_starts_with(passes, "module(");
  passes += inside ? strlen("module(") : 0;
  bool lacks = false;
  for (int i = 0; i < PIECES; i++) {
    const char *at = pieces[i].picture[column] == '.' ? "" : pieces[i].text;
    while (*at) {
      const char *next = skip_pycoro_addition_if_any(at);
      if (next == at && *at != *passes++)
        return false;
      lacks |= next != at;
      at = next == at ? at + 1 : next;
    }
  }
  return lacks && is_end_of_printed_level(passes, inside);
}

const char *level_with_printed_pipeline(struct coro_arena *arena, const char *passes)
{
  for (int f = 0; f < FAMILIES; f++)
    for (int l = 0; l < LEVELS; l++)
      if (level_is_printed_without_additions(f * (LEVELS + 1) + l, passes))
        return coro_arena_printf(arena, "%s<%s>", families[f], levels[l]);
  return NULL;
}
