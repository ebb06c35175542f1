/* Functions whose body is hardly more than a call of it.
   Needs: ir, LLVM-C. Leaves: the attribute `noinline` of others, for as long as LLVM's inliner runs. */
#ifndef CORO_PIPELINE_SMALL_H
#define CORO_PIPELINE_SMALL_H

#include "base/map.h"
#include "llvm-c/Core.h"

struct small {
  LLVMModuleRef module;
  struct coro_map marked; /* functions */
};

bool small_any(LLVMModuleRef module); /* whether one is used */
/* Until small_end no other function can be inlined, but for those that always are. In between functions may be removed,
   and none may be made. False: memory ran out. */
bool small_begin(struct small *small, struct coro_arena *arena, LLVMModuleRef module);
void small_end(const struct small *small);

#endif
