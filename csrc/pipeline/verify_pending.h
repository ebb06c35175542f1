/* Incremental verification of the module, and attribution of errors to passes.
   Requires: runner.
   Guarantees: the module is unchanged. */
#ifndef CORO_PIPELINE_VERIFY_PENDING_H
#define CORO_PIPELINE_VERIFY_PENDING_H

#include "pipeline/runner.h"

/* Verifies the module; the diagnostic names the pass. EBUG if only passes of pycoro have changed the module since
   its last verification, else EVERIFY. */
coro_status verify_after_pass(struct runner *r, struct author author);
/* Verifies pending modifications, as the next pass requires. If only pycoro's passes changed the module, verifies
   the functions that they modified, at a cost proportional to these. */
coro_status verify_pending(struct runner *r);
/* Whether the module has debug information. Verifying the whole module is then cheaper than verifying many functions,
   because for each of them the verifier traverses all debug information reachable from it. */
bool has_debug_info(const struct runner *r);
/* As verify_pending, including the postponed verification of a level, before other code sees the module. */
coro_status verify_all_pending(struct runner *r);
/* Records that a pass changed `function` (NULL: reported separately) and added those after `last`. False: out of
   memory. */
bool verify_function_later(struct runner *r, LLVMValueRef function, LLVMValueRef last);
/* Records a modification of unknown functions. */
void verify_module_later(struct runner *r, struct author author);
/* Verifies `function` and those added after `last`. Only these are verified between two functions of a step, so the
   cost of a pass is linear in the module. */
coro_status verify_function_now(struct runner *r, struct author author, LLVMValueRef function, LLVMValueRef last);
/* With -verify-each: verifies the whole module after each modifying pass, and that its text can be parsed. */
coro_status verify_each_pass(struct runner *r, struct author author);
/* Whether verification is postponed to the end. In waves of few functions, each coroutine would be verified several
   times, and each time the verifier would traverse all debug information reachable from it. */
bool postpones_verification(const struct runner *r);
/* Verifies the result of other passes before the step. */
coro_status verify_before_step(struct runner *r, const struct pipe_step *step);

#endif
