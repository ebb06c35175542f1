/* Tests whether one function is a prefix of another: the longer function does what the shorter one does, then executes
   a remaining part. Used to let the destroy function call the cleanup function.
   Requires: identical_instruction. Guarantees: the IR does not change. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

struct function_prefix {
  LLVMValueRef rest; /* the first instruction of the longer function's remaining part */
  uint32_t weight;   /* number of common instructions, without those that usually fold into others */
};

/* True if `longer` is `shorter`, a void function, followed by `rest`, which uses no value computed before. On every
   exit of `shorter`, normal or exceptional, `longer` has the same effects up to there. False also if memory ran out,
   which the arena records. */
bool is_function_prefix(struct coro_arena *arena, LLVMValueRef longer, LLVMValueRef shorter,
                        struct function_prefix *found);
