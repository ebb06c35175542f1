/* Records the answer of a check, and formats its message.
   Requires: a check in progress.
   Guarantees: the first refutation wins; without one, the first unsupported construct. */
#pragma once

#include "check/check_data.h"

/* Report an answer. They return false, so that a rule can end in `return check_refute(...)`. */
bool check_refute(struct check *c, const struct check_clone *k, LLVMValueRef at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool check_unsupported(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The first 160 characters of a value's printed IR. */
const char *value_text_for_message(const struct check *c, LLVMValueRef value);
const char *presplit_value_text_for_message(const struct check *c, uint32_t value);
