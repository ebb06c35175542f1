/* Calls custom passes with the run's working module lent to them.
   Requires: module, pass. Guarantees: run->module is the module as the pass left it. */
#pragma once

#include "run/pass.h"

/* Implements pass_client_call. */
coro_status call_custom_pass(struct pass_run *run, const coro_custom_pass *pass, coro_pass_call *call,
                             coro_change *changed);
