/* Reach: the instructions that control may come to from some of a function's, or between two of them.
   Needs: ir, parts. Leaves: the function as it was. Costs the instructions that it finds. */
#ifndef CORO_PASS_REACHABLE_CODE_H
#define CORO_PASS_REACHABLE_CODE_H

#include "ir/constant_fold.h"
#include "pass/clones.h"

struct reachable {
  struct pass_run *run;
  LLVMValueRef function;
  bool to_begin;    /* the function's own coro.begin is found, and not passed */
  bool given_frame; /* coro.alloc is false */
  struct coro_map found; /* instructions */
  LLVMValueRef returns; /* a return that was found; NULL: none was */
};

void reachable_init(struct reachable *reach, struct pass_run *run, LLVMValueRef function);
/* From this instruction on, itself found. False: memory ran out. */
bool reachable_from(struct reachable *reach, LLVMValueRef first);
/* What is on ways from behind the first to before the last, which it dominates, that do not come by the first again. */
bool reachable_between(struct reachable *reach, LLVMValueRef first, LLVMValueRef last);
bool reachable_has(const struct reachable *reach, LLVMValueRef instruction);
/* The suspend whose result alone a terminator chooses by, perhaps through casts and comparisons; NULL: there is
   none. */
LLVMValueRef terminator_suspend(const struct pass_run *run, LLVMValueRef terminator);
/* The index of the successor that it then chooses for a result; CONSTANT_SUCCESSOR_UNKNOWN if it is not known. */
unsigned suspend_result_successor(const struct pass_run *run, LLVMValueRef terminator, int result);
/* What it runs where it suspends here, on its way out: all behind, where it is not asked at once what the result is. */
bool reachable_when_suspending(struct reachable *reach, LLVMValueRef suspend);

#endif
