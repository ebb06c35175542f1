/* The text of a function's instructions and blocks, from one print of the function. Printing each instruction alone
   would number the function's values each time.
   Requires: ir_number_function's result. Guarantees: strings in the arena, by instruction and block number. */
#pragma once

#include "ir/number.h"

struct ir_text {
  const char **inst;  /* "%s = call i8 @llvm.coro.suspend(token none, i1 false)" */
  const char **name;  /* "%s", or "" if it has no result */
  const char **block; /* "%entry" */
};

/* `printed` is LLVM's text from the function's definition on; NULL: print it here. False: out of memory. */
bool ir_text_split_printed_function(struct ir_text *text, struct coro_arena *arena, const struct ir_fn *fn,
                                    const char *printed);

/* "%entry" for a line that starts a block; NULL for another line, or out of memory. */
const char *ir_text_label_in_line_or_null(struct coro_arena *arena, const char *line, size_t length);
/* "%0" for an entry block without a label line: LLVM numbers it after the unnamed arguments. */
const char *ir_text_label_of_unnamed_entry(struct coro_arena *arena, LLVMValueRef function);
/* "%then" or "%\"a b\"", as LLVM prints it. A number or quotes cost a print of the block. NULL: out of memory. */
const char *ir_text_label_of_block(struct coro_arena *arena, LLVMBasicBlockRef block);
