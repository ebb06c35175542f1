/* Rules of the async ABI: the frame follows the context, each suspend and end hands control to a function, and a clone
   finds its context by the projection that its suspend names.
   Requires: numbered clones.
   Guarantees: a clone finds the frame that others stored to, and is the function that its suspend hands over. */
#ifndef CORO_CHECK_ASYNC_RULES_H
#define CORO_CHECK_ASYNC_RULES_H

#include "check/steps.h"

/* Whether the frame is within the context whose size the async function pointer states; finds what
   llvm.coro.async.resume stands for. */
bool async_rules_prepare(struct check *c);
/* Whether the clone's frame is at the context's offset for it. Sets k->context. */
bool async_rules_check_frame(struct check *c, struct check_clone *k);
/* Whether a clone's type and parameter attributes are those that the suspend implies. */
bool async_rules_check_declaration(struct check *c, const struct check_clone *k);
/* Proves that a walked clone's context is the result of its projection. */
bool async_rules_check_context(struct check *c, const struct check_clone *k);
/* Whether control may arrive at the landing of a clone: it has executed the projection. */
bool async_rules_has_context(struct check *c, const struct check_clone *k, const struct check_state *state);
/* A call of the projection, or of the function that a suspend or end hands control to. */
bool async_rules_call(struct check_walk *w, uint32_t inst, uint32_t presplit);
/* The first instruction of such a function's inlined body. */
bool async_rules_enter_body(struct check_walk *w, uint32_t inst, uint32_t body);
/* Instruction `inst` returns, where the presplit function is at `next`. */
bool async_rules_return(struct check_walk *w, uint32_t inst, uint32_t next);
/* Whether the carrier is the context, the result of an llvm.coro.async.resume, or that of a suspend. */
bool async_rules_is_context(const struct check *c, const struct check_clone *k, LLVMValueRef carrier, uint32_t value);
bool async_rules_is_resume(const struct check *c, LLVMValueRef carrier, uint32_t inst);
bool async_rules_is_result(const struct check *c, const struct check_clone *k, LLVMValueRef carrier, uint32_t suspend);

#endif
