/* The text of each function of a module, from one print of the whole module. Printing functions one by one would number
   the module's metadata each time.
   Requires: base, LLVM-C. Guarantees: the module does not change. */
#pragma once

#include "base/map.h"
#include "llvm-c/Core.h"

struct ir_printed { /* all zero: nothing printed */
  char *text;
  struct coro_map definitions; /* function -> offset of its definition in the text */
};

/* false: out of memory */
bool ir_printed_print_module(struct ir_printed *printed, struct coro_arena *arena, LLVMModuleRef module);
/* Prints one function of a module without module metadata, to be found as `key_function`. False: out of memory. */
bool ir_printed_print_function(struct ir_printed *printed, struct coro_arena *arena, LLVMValueRef function,
                               LLVMValueRef key_function);
/* The text after the function's "define " to the end of the module; NULL: unknown. */
const char *ir_printed_text_from_function_on_or_null(const struct ir_printed *printed, LLVMValueRef function);
/* The comment before it, as "; Function Attrs: nounwind", to the end of the module; NULL: none. */
const char *ir_printed_text_from_comment_on_or_null(const struct ir_printed *printed, LLVMValueRef function);
void ir_printed_free(struct ir_printed *printed); /* resets to all zero */

/* The text of a module in a malloc'ed string. LLVM escapes most names; this also escapes all characters outside of
   printable ASCII, tab and newline, valid UTF-8 too, where LLVM prints them raw, such as target and GC names. NULL:
   out of memory. */
char *ir_print_module_as_ascii(LLVMModuleRef module);
