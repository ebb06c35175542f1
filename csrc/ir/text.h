/* Text of a function's instructions and blocks, as LLVM prints them, from one printing of the whole function: printing
   one instruction at a time numbers the function anew each time.
   Needs: ir_number's result. Leaves: strings in the arena, by instruction and block id. */
#ifndef CORO_IR_TEXT_H
#define CORO_IR_TEXT_H

#include "ir/number.h"

struct ir_text {
  const char **inst;  /* "%s = call i8 @llvm.coro.suspend(token none, i1 false)" */
  const char **name;  /* "%s", or "" where it has no result */
  const char **block; /* "%entry" */
};

/* `printed` is the function's definition as LLVM printed it, with anything behind it; NULL: LLVM is asked. False:
   memory ran out. */
bool ir_text(struct ir_text *text, struct coro_arena *arena, const struct ir_fn *fn, const char *printed);

/* "%entry" of the line that begins a block; NULL: it does not, or memory ran out. */
const char *ir_text_label(struct coro_arena *arena, const char *line, size_t length);
/* "%0" of a first block that has no such line: it is numbered after the arguments without a name. */
const char *ir_text_entry(struct coro_arena *arena, LLVMValueRef function);

#endif
