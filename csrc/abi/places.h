/* The places of hooks that all ABIs have, each of which does nothing where the ABI has no template.
   Needs: emission under way; a template that is linked, or none. Leaves: what the hooks do, in the part. */
#ifndef CORO_ABI_PLACES_H
#define CORO_ABI_PLACES_H

#include "emit/emit.h"

/* A part is entered: the variables that its hooks need, in its entry. For ABIs without a suspended part, as
   emit_hooks.enter_ramp. */
void places_enter(struct emit *e);
LLVMValueRef places_variable(struct emit *e, LLVMTypeRef type, const char *name); /* holds zero at first */
bool places_begun(struct emit *e); /* as emit_hooks.begun */
bool places_landed(struct emit *e, uint32_t suspend); /* as emit_hooks.landed */
/* At a suspend that a part returns at: abi.save, then abi.suspend. */
void places_suspend(struct emit *e, uint32_t inst, uint32_t suspend);
/* At an end: abi.end, if there is a frame; `over` (NULL: never) says that there is nothing to tell. What the hook
   returns goes to `result`, a variable, or nowhere (NULL). */
void places_end(struct emit *e, uint32_t inst, LLVMValueRef over, LLVMValueRef result);

#endif
