/* Finds the name that a misspelling probably means, for hints in diagnostics.
   Requires: nothing. Guarantees: no side effects. */
#pragma once

#include <stddef.h>

/* The name with the smallest edit distance from `text`, if that is at most a third of its length; else NULL. */
const char *nearest_name_by_edit_distance(const char *text, size_t length, const char *const *names, size_t count);
