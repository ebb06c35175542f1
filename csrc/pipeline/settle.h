/* Whether what a pass has left is a module still, and whose fault it is where it is none.
   Needs: runner. Leaves: the module as it was. */
#ifndef CORO_PIPELINE_SETTLE_H
#define CORO_PIPELINE_SETTLE_H

#include "pipeline/runner.h"

/* EBUG where only a pass of pycoro's may have broken the module, else EVERIFY; the diagnostic names the pass. */
coro_status settle_by(struct runner *r, struct author author);
/* Whoever changed the module last has left it as LLVM's passes and pycoro's want it. Of what only pycoro's passes have
   changed, the functions that they have touched are looked at: the cost follows these. */
coro_status settle(struct runner *r);
/* Many functions are looked at by looking at the module: the verifier goes through all the debug information that a
   function leads to, for each function anew. */
bool settles_at_once(const struct runner *r);
/* As settle, and LLVM's passes of a level are believed no longer: somebody is to have the module who has to know. */
coro_status settle_whole(struct runner *r);
/* A pass has changed `function` (NULL: it has said itself which) and added those behind `last`. False: no memory. */
bool settle_later(struct runner *r, LLVMValueRef function, LLVMValueRef last);
/* Somebody who does not say which functions has changed the module. */
void settle_all_later(struct runner *r, struct author author);
/* A pass has changed `function` and added those behind `last`: between two functions no more is looked at, so that a
   pass costs what the module is long, and not that for each function. */
coro_status settle_part(struct runner *r, struct author author, LLVMValueRef function, LLVMValueRef last);
/* Where the options ask for it: the whole module, once a pass that has changed it, and whether its text reads back. */
coro_status settle_each(struct runner *r, struct author author);

#endif
