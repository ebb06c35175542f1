/* The name that was probably meant.
   Needs: nothing. Leaves: nothing. */
#ifndef CORO_BASE_NEAREST_H
#define CORO_BASE_NEAREST_H

#include <stddef.h>

/* The one of the names that fewest letters part from `text`, where at most a third of them do; else NULL. */
const char *nearest_name(const char *text, size_t length, const char *const *names, size_t count);

#endif
