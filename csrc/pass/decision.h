/* Decisions of elision: each start of a coroutine that is looked at, told as a remark and in the report.
   Needs: diagnose. Leaves: the module as it was. */
#ifndef CORO_PASS_DECISION_H
#define CORO_PASS_DECISION_H

#include "pass/parts.h"

struct decision {
  const char *pass, *name;     /* of the remark: "coro-elide", "CoroElide" */
  LLVMValueRef caller;
  const struct parts *parts;   /* of the coroutine that is started */
  LLVMValueRef at;             /* where the proof ended */
  const char *reason;          /* the proof, or what stands in its way */
  bool done;
};

/* The remark and the elision; false: memory ran out. */
bool decision_tell(struct pass_run *run, const struct decision *decision);
/* The remark alone, where nobody asked for the coroutine to be elided. */
bool decision_remark(struct pass_run *run, const struct decision *decision);

#endif
