/* Sizes of types and of addresses. LLVM's own answer ends the process where a size is a multiple of vscale, or where a
   type has none, and wraps where it is more than any memory: here each type is looked at before LLVM is asked.
   Needs: base, LLVM-C. Leaves: nothing changed. */
#ifndef CORO_IR_SIZE_H
#define CORO_IR_SIZE_H

#include "base/map.h"
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

#define IR_MOST_BYTES (UINT64_MAX / 16) /* what is larger counts as this large */
enum { IR_DEEPEST_TYPE = 2000 };        /* structs and arrays in each other: what is nested deeper is not looked at */

struct ir_sizes {
  LLVMTargetDataRef layout;
  struct coro_map known; /* of structs and arrays: bytes + 1, or 0 where there is no size */
};

void ir_sizes_init(struct ir_sizes *sizes, struct coro_arena *arena, LLVMTargetDataRef layout);
/* The bytes from one value of the type in memory to the next. False: not known before the program runs, or there is no
   such thing. Asking again costs nothing. */
bool ir_size_of(struct ir_sizes *sizes, LLVMTypeRef type, uint64_t *bytes);
bool ir_is_sized(struct ir_sizes *sizes, LLVMTypeRef type);

/* Of an address that needs no address space: what one takes in memory, and what it is aligned to. */
uint64_t ir_pointer_size(LLVMContextRef context, LLVMTargetDataRef layout);
uint64_t ir_pointer_align(LLVMContextRef context, LLVMTargetDataRef layout);
/* What memory is aligned to that was asked for by its size alone: two addresses, as malloc's is. */
uint64_t ir_malloc_align(LLVMContextRef context, LLVMTargetDataRef layout);
/* The integer that such an address is computed with: llvm.ptrmask takes no other. Some have bits besides. */
LLVMTypeRef ir_index_type(LLVMContextRef context, LLVMTargetDataRef layout);

unsigned ir_code_space(LLVMTargetDataRef layout); /* the address space that functions are made in */

#endif
