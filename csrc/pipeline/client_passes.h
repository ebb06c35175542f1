/* Checks a client's passes, and runs one of them on a function or on the module.
   Requires: verify_changes, targets.
   Guarantees: the module as the pass left it, verified as far as the next pass requires. */
#pragma once

#include "pipeline/targets.h"

/* Checks a client's passes before the pass string is parsed: invalid names, names of pycoro's passes, duplicates,
   passes without a function. EUSAGE. */
coro_status client_passes_check(const struct pipeline_client_passes *clients, struct coro_arena *arena,
                                coro_diags *diags);
/* `function` is NULL for the module, and is a coroutine if the pass runs on coroutines only. If *changed, references
   to functions and instructions are invalid afterwards. */
coro_status client_pass_run(struct runner *r, const struct pass_node *node, LLVMValueRef function,
                            coro_change *changed);
