/* Names values of the emitted function after the presplit values that they replace.
   Requires: emission in progress.
   Guarantees: the presplit name if it is unused. */
#pragma once

#include "emit/emit.h"

/* Gives `value` the name of `source`. If the ramp is emitted into the presplit function, the presplit instruction
   loses its name. */
void move_or_copy_name_from_source(struct emit *e, LLVMValueRef value, LLVMValueRef source);
/* Gives `value` the name of a presplit value, or of an emitted one, with a suffix. */
void set_name_of_source_with_suffix(struct emit *e, LLVMValueRef value, LLVMValueRef source, const char *suffix);
void set_name_of_copy_with_suffix(struct emit *e, LLVMValueRef value, LLVMValueRef copy, const char *suffix);
