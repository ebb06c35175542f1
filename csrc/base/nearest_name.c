/* Nearest name by Damerau-Levenshtein distance (optimal string alignment). O(n m) for each name. */
#include "base/nearest_name.h"

#include <string.h>

enum { MAX_LENGTH = 64 }; /* longer texts never match */

static unsigned minimum_of_two(unsigned a, unsigned b)
{
  return a < b ? a : b;
}

static unsigned edit_distance(const char *a, size_t n, const char *b, size_t m)
{
  unsigned row[3][MAX_LENGTH + 1];
  for (unsigned j = 0; j <= m; j++)
    row[0][j] = j;
  for (unsigned i = 1; i <= n; i++) {
    unsigned *current = row[i % 3], *previous = row[(i + 2) % 3], *before_previous = row[(i + 1) % 3];
    current[0] = i;
    for (unsigned j = 1; j <= m; j++) {
      current[j] =
          minimum_of_two(minimum_of_two(previous[j], current[j - 1]) + 1, previous[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = minimum_of_two(current[j], before_previous[j - 2] + 1);
    }
  }
  return row[n % 3][m];
}

const char *nearest_name_by_edit_distance(const char *text, size_t length, const char *const *names, size_t count)
{
  const char *best = NULL;
  unsigned fewest = (unsigned)length / 3 + 1;
  for (size_t i = 0; i < count && length <= MAX_LENGTH; i++) {
    size_t name_length = strlen(names[i]);
    unsigned edits = name_length <= MAX_LENGTH ? edit_distance(text, length, names[i], name_length) : fewest;
    if (edits < fewest) {
      fewest = edits;
      best = names[i];
    }
  }
  return best;
}
