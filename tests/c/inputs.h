/* Inputs of the test programs: files of the checkout.
   Requires: TESTS, the directory of the tests.
   Guarantees: texts from malloc. */
#ifndef TESTS_C_INPUTS_H
#define TESTS_C_INPUTS_H

#include <stdio.h>
#include <stdlib.h>

#include "check.h"

/* Returns the whole file with a final NUL. `path` is relative to the directory of the tests, or absolute. */
static inline char *input_read(const char *path)
{
  char full[1024];
  snprintf(full, sizeof full, "%s%s", *path == '/' ? "" : TESTS "/", path);
  FILE *file = fopen(full, "rb");
  CHECK(file, "%s cannot be read", full);
  if (!file)
    exit(check_done(path));
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *text = calloc(1, size + 1);
  CHECK(text && fread(text, 1, size, file) == size, "%s cannot be read", full);
  fclose(file);
  return text;
}

#endif
