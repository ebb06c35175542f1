/* The name that was probably meant: the one to which fewest letters have to be put in, left out, changed or swapped.
   Needs: nothing. Leaves: nothing. */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST = 64 }; /* longer ones are near to nothing */

static unsigned least(unsigned a, unsigned b)
{
  return a < b ? a : b;
}

static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
  unsigned row[3][LONGEST + 1];
  for (unsigned j = 0; j <= m; j++)
    row[0][j] = j;
  for (unsigned i = 1; i <= n; i++) {
    unsigned *now = row[i % 3], *before = row[(i + 2) % 3], *two = row[(i + 1) % 3];
    now[0] = i;
    for (unsigned j = 1; j <= m; j++) {
      now[j] = least(least(before[j], now[j - 1]) + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = least(now[j], two[j - 2] + 1);
    }
  }
  return row[n % 3][m];
}

const char *nearest_name(const char *text, size_t length, const char *const *names, size_t count)
{
  const char *best = NULL;
  unsigned fewest = (unsigned)length / 3 + 1;
  for (size_t i = 0; i < count && length <= LONGEST; i++) {
    size_t own = strlen(names[i]);
    unsigned parts = own <= LONGEST ? distance(text, length, names[i], own) : fewest;
    if (parts < fewest) {
      fewest = parts;
      best = names[i];
    }
  }
  return best;
}
