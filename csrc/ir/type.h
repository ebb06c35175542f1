/* Types, made and asked where LLVM trusts that it is asked for what there is: it neither checks what a type is made of,
   nor comes back from one that is nested too deeply, or too long to print.
   Needs: base, LLVM-C. Leaves: types in their context, which live as long as it does. */
#ifndef CORO_IR_TYPE_H
#define CORO_IR_TYPE_H

#include "ir/size.h"
#include "pycoro.h"

enum { IR_MOST_TYPES = 1 << 20 }; /* in one type, as it is spelt: a longer one is neither made nor printed */

struct ir_types { /* what is known of the types of a context, for one layout */
  LLVMContextRef context;
  struct coro_arena *arena;
  struct ir_sizes sizes;
  struct coro_map bulk; /* see type_bulk */
};

void ir_types_init(struct ir_types *types, struct coro_arena *arena, LLVMContextRef context, LLVMTargetDataRef layout);

/* The type that is wanted. EUSAGE with a sentence that says why there is none. */
coro_status ir_type_make(struct ir_types *types, const coro_type_wanted *wanted, LLVMTypeRef *type, coro_diags *diags);
/* The type that LLVM spells so; a struct may be named that the context has. EUSAGE. */
coro_status ir_type_read(struct ir_types *types, const char *text, LLVMTypeRef *type, coro_diags *diags);
/* As LLVM spells it where it is used: a struct with a name by that. The caller's, by coro_string_free. EUSAGE: too
   long. */
coro_status ir_type_print(struct ir_types *types, LLVMTypeRef type, char **text, coro_diags *diags);
/* False: it has none that is known before the program runs, or more than any memory. */
bool ir_type_layout(struct ir_types *types, LLVMTypeRef type, uint64_t *size, uint64_t *align);
const char *ir_type_word(LLVMTypeRef type); /* "integer", "pointer": see facts/types.def */
/* EUSAGE, with a sentence. */
coro_status ir_type_refuse(coro_diags *diags, const char *message, const char *hint);
#define IR_TYPE_HINT "types are spelt as in LLVM's assembly: i32, ptr, double, { i32, ptr }, [4 x i8]"
bool ir_type_may_be(LLVMTypeRef type, char place); /* one of the letters of facts/types.def, and not opaque */

#endif
