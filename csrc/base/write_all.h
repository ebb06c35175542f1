/* Writes a whole text to a file descriptor. May be called in a signal handler.
   Requires: POSIX. */
#pragma once

#include <stdbool.h>
#include <unistd.h>

/* False: the rest could not be written, or a signal interrupted the call; errno tells which. */
static inline bool write_all(int file, const void *data, size_t size)
{
  const char *at = data;
  for (ssize_t done; size; at += done, size -= (size_t)done)
    if ((done = write(file, at, size)) <= 0)
      return false;
  return true;
}
