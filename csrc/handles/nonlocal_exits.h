/* Interprocedural analysis of non-local exits: calls that may discard the stack without an exception, by longjmp or
   thread exit (pthread_exit, too). Functions are identified by name; calls that never return count as non-local exits,
   unless their callee is known to end the process or to throw.
   Requires: ir; calls of nonlocal_exits_reset after changes.
   Guarantees: the functions are unchanged. A query inspects transitive callees, at most 10,000 instructions; beyond,
   and if memory is exhausted, the answer is true. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "llvm-c/Core.h"

struct nonlocal_exits {
  struct coro_arena *arena; /* owned */
  struct coro_arena_mark empty_mark; /* the arena's initial state */
  struct coro_map functions; /* function -> enum exit_answer (nonlocal_exits.c) */
  CORO_VEC(LLVMValueRef) inspected; /* worklist of the current query */
};

bool nonlocal_exits_init(struct nonlocal_exits *nonlocal, struct coro_budget *budget); /* false: out of memory */
void nonlocal_exits_free(struct nonlocal_exits *nonlocal);
/* Forgets all results, since functions have changed. */
void nonlocal_exits_reset(struct nonlocal_exits *nonlocal);
/* Whether a memoized result may depend on the function's body. */
bool nonlocal_exits_depend_on(const struct nonlocal_exits *nonlocal, LLVMValueRef function);
bool may_exit_nonlocally(struct nonlocal_exits *nonlocal, LLVMValueRef instruction);
bool function_may_exit_nonlocally(struct nonlocal_exits *nonlocal, LLVMValueRef function);
