/* Text of a module's functions, cut out of one printing of all of it: to print a function alone LLVM numbers the
   metadata of the whole module each time.
   Needs: base, LLVM-C. Leaves: the module as it was. */
#ifndef CORO_IR_PRINTED_H
#define CORO_IR_PRINTED_H

#include "base/map.h"
#include "llvm-c/Core.h"

struct ir_printed { /* all zero: nothing is known */
  char *text;
  struct coro_map definitions; /* function -> where it begins in the text */
};

bool ir_printed_make(struct ir_printed *printed, struct coro_arena *arena, LLVMModuleRef module); /* false: no memory */
/* From its "define" on, with all that follows it; NULL: not known. */
const char *ir_printed_function(const struct ir_printed *printed, LLVMValueRef function);
/* The comment in front of that, "; Function Attrs: nounwind", with all that follows it; NULL: there is none. */
const char *ir_printed_comment(const struct ir_printed *printed, LLVMValueRef function);
void ir_printed_free(struct ir_printed *printed); /* all zero again */

/* The text of a module, of malloc. LLVM escapes names; the ones that it prints as they are, as those of targets and
   collectors, are escaped here where they hold what a terminal obeys or what is no ASCII. NULL: memory ran out. */
char *ir_print(LLVMModuleRef module);

#endif
