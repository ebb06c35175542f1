/* Verifies what has changed since the last verification, and names the pass that broke the module.
   Requires: runner, verification.
   Guarantees: the module is unchanged. */
#pragma once

#include "pipeline/runner.h"

/* Verifies the module; the diagnostic names the pass. EBUG if only passes of pycoro can have broken it, else
   EVERIFY. */
coro_status verify_module(struct runner *r);
/* Verifies all unverified changes, except (unless `includes_level`) those of a level. If only pycoro's passes
   changed the module, or LLVM's are trusted, verifies the functions that they marked, at a cost proportional to
   these. */
coro_status verify_changes(struct runner *r, bool includes_level);
/* Verifies changes of other passes before the step. */
coro_status verify_before_step(struct runner *r, const struct pipeline_step *step);
/* Before a pass of pycoro visits the function: verifies it, or all changes, if since it was verified the client may
   have broken it, or LLVM's passes of a level an unsplit coroutine. */
coro_status verify_before_pass(struct runner *r, LLVMValueRef function);
/* Marks `function` (NULL: the pass has marked others) as changed by a pass of pycoro, and those after `last` as
   created. `doubtful`: other passes may have broken `function` before. False: out of memory. */
bool mark_function_changed_and_later_created(struct runner *r, LLVMValueRef function, LLVMValueRef last, bool doubtful);
/* Verifies `function` and those added after `last`. Only these are verified between two functions of a step, so the
   cost of a pass is linear in the module. */
coro_status verify_function_and_added_ones(struct runner *r, LLVMValueRef function, LLVMValueRef last);
/* With -verify-each: verifies the whole module if it changed, and that its text can be parsed. The error names `pass`,
   of `maker`; NULL: the reader. */
coro_status verify_after_pass_if_verify_each(struct runner *r, enum change_maker maker, const char *pass);
/* Whether verification is postponed to the end. In waves of few functions, each coroutine would be verified several
   times, and each time the verifier would traverse all debug information reachable from it. */
bool postpones_verification(const struct runner *r);
