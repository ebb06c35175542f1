/* Sizes of types and pointers. LLVM's own query aborts on scalable and unsized types and wraps on overflow; these
   functions check first and saturate.
   Requires: base, LLVM-C. Guarantees: the IR does not change. */
#pragma once

#include "base/map.h"
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

#define IR_MAX_BYTES (UINT64_MAX / 16) /* larger sizes saturate to this value */
enum { IR_MAX_TYPE_DEPTH = 2000 };        /* maximum nesting of structs and arrays; deeper types have no size here */

struct ir_sizes {
  LLVMTargetDataRef layout;
  struct coro_map known; /* struct or array -> bytes + 1, or 0 if it has no fixed size */
};

void ir_sizes_init(struct ir_sizes *sizes, struct coro_arena *arena, LLVMTargetDataRef layout);
/* The ABI allocation size in bytes. False: the type is scalable, unsized or nested too deeply. Results are memoized. */
bool ir_size_of(struct ir_sizes *sizes, LLVMTypeRef type, uint64_t *bytes);
bool ir_has_fixed_size(struct ir_sizes *sizes, LLVMTypeRef type);

uint64_t ir_size_product_up_to_max_bytes(uint64_t size, uint64_t count); /* saturates */

/* Size and alignment of a pointer in address space 0. */
uint64_t ir_pointer_size(LLVMContextRef context, LLVMTargetDataRef layout);
uint64_t ir_pointer_align(LLVMContextRef context, LLVMTargetDataRef layout);
/* The alignment that malloc guarantees: two pointers. */
uint64_t ir_malloc_align(LLVMContextRef context, LLVMTargetDataRef layout);
/* The index type of address space 0, which llvm.ptrmask requires; it may be narrower than a pointer. */
LLVMTypeRef ir_index_type(LLVMContextRef context, LLVMTargetDataRef layout);

unsigned ir_program_address_space(LLVMTargetDataRef layout); /* the program address space, in which functions live */
unsigned ir_alloca_address_space(LLVMTargetDataRef layout); /* the address space of allocas */
