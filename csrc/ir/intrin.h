/* Identifies coroutine intrinsics, and the few others that the lowering recognizes or emits.
   Requires: LLVM-C. Guarantees: a table that is filled once per run, then only read. */
#pragma once

#include <stdbool.h>

#include "llvm-c/Core.h"
#include "pycoro.h"

enum intrin {
  INTRIN_NONE,
#define CORO_INTRIN(name, text) INTRIN_##name,
#include "llvm_coroutine_intrinsics.def"
  INTRIN_COUNT,
  INTRIN_LIFETIME_START = INTRIN_COUNT, /* the rest are not coroutine intrinsics */
  INTRIN_LIFETIME_END,
  INTRIN_STACKSAVE,
  INTRIN_STACKRESTORE,
  INTRIN_PTRMASK, /* intrin_of_call returns INTRIN_NONE for this and the following ones; code compares their LLVM ids */
  INTRIN_THREADLOCAL_ADDRESS,
  INTRIN_VA_START,
  INTRIN_GCROOT, /* this and the following ones require their allocas to stay on the stack */
  INTRIN_LOCALESCAPE,
  INTRIN_STACKPROTECTOR,
  INTRIN_ALL
};

/* Names for operand indices: ID_PROMISE is operand 1 of llvm.coro.id. */
#define CORO_OPERANDS(...) enum { __VA_ARGS__ };
#include "llvm_coroutine_intrinsics.def"

struct intrin_table {
  unsigned llvm_id[INTRIN_ALL]; /* LLVM's intrinsic ids by enum intrin */
  unsigned lowest, highest; /* range of the coroutine intrinsics' ids */
  unsigned char of[256]; /* enum intrin by (LLVM id - lowest) */
};

static inline bool intrin_is_coro(enum intrin intrin)
{
  return intrin != INTRIN_NONE && intrin < INTRIN_COUNT;
}
/* Whether it starts a coroutine: llvm.coro.id and its variants. */
static inline bool intrin_is_id(enum intrin intrin)
{
  switch (intrin) {
#define CORO_ID(name, kind) case INTRIN_##name:
#include "llvm_coroutine_intrinsics.def"
    return true;
  default: return false;
  }
}
static inline bool intrin_is_suspend(enum intrin intrin)
{
  return intrin == INTRIN_SUSPEND || intrin == INTRIN_SUSPEND_RETCON || intrin == INTRIN_SUSPEND_ASYNC;
}

static inline bool intrin_is_lifetime(enum intrin intrin)
{
  return intrin == INTRIN_LIFETIME_START || intrin == INTRIN_LIFETIME_END;
}

coro_abi_kind intrin_abi_of_id(enum intrin intrin);

void intrin_table_init(struct intrin_table *table);
/* The intrinsic that a call or invoke calls; INTRIN_NONE for every other value. */
enum intrin intrin_of_call(const struct intrin_table *table, LLVMValueRef instruction);
enum intrin intrin_of_function(const struct intrin_table *table, LLVMValueRef function);
/* Whether a call or invoke calls an intrinsic with one of the base names, such as "llvm.objectsize". */
bool intrin_calls_one_of(LLVMValueRef call, const char *const *base_names, size_t count);
const char *intrin_name(enum intrin intrin); /* "llvm.coro.suspend" */
/* Returns or adds the declaration. `types` are the overloaded types (for coro.size: {iN}). */
LLVMValueRef intrin_declare(const struct intrin_table *table, LLVMModuleRef module, enum intrin intrin,
                            LLVMTypeRef *types, size_t type_count);
