/* Interprocedural analysis of non-local exits: calls that may discard the stack without an exception, by longjmp or
   thread exit.
   Requires: ir.
   Guarantees: the functions are unchanged. */
#ifndef CORO_HANDLES_NONLOCAL_EXITS_H
#define CORO_HANDLES_NONLOCAL_EXITS_H

#include "base/map.h"
#include "base/vec.h"
#include "llvm-c/Core.h"

struct nonlocal_exits {
  struct coro_arena *arena; /* owned */
  struct coro_arena_mark empty_mark; /* the arena's initial state */
  struct coro_map functions; /* function -> enum exit_answer; contains every function that a result depends on */
  CORO_VEC(LLVMValueRef) inspected; /* functions inspected by the current query */
};

bool nonlocal_exits_init(struct nonlocal_exits *nonlocal, struct coro_budget *budget); /* false: out of memory */
void nonlocal_exits_free(struct nonlocal_exits *nonlocal);
/* Call when functions have changed since they were inspected. */
void nonlocal_exits_reset(struct nonlocal_exits *nonlocal);
bool nonlocal_exits_depend_on(const struct nonlocal_exits *nonlocal,
                              LLVMValueRef function); /* a result may depend on it */
bool may_exit_nonlocally(struct nonlocal_exits *nonlocal, LLVMValueRef instruction);
/* Whether the clone may exit non-locally; true if the inspection exceeds its limit. */
bool clone_may_exit_nonlocally(struct nonlocal_exits *nonlocal, LLVMValueRef clone);

#endif
