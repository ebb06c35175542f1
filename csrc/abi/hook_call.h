/* Calls of ABI hooks during the emission of the ramp or a clone.
   Requires: emission in progress, a linked hook module.
   Guarantees: the hook's code is at the builder's position, inlined if possible. */
#pragma once

#include "abi/hook_module.h"
#include "emit/emit.h"

/* Arguments of a hook that depend on the call site. */
struct hook_site {
  uint32_t inst;       /* the presplit instruction that the call replaces */
  uint32_t suspend;    /* index in shape.suspends, IR_NONE: none */
  uint64_t index;      /* stored index at a site that is not a suspend */
  LLVMValueRef memory; /* ARG_MEMORY */
  bool passed;         /* the clone's own parameters are appended */
};

bool abi_defines_hook(const struct emit *e, enum hook hook);
/* The hook's result, poison if the arena has failed. If it has none: NULL, or the call if it is not inlined. */
LLVMValueRef emit_hook_call(struct emit *e, enum hook hook, const struct hook_site *site);
/* The address of the ABI's header fields in the frame; a null constant if it has none. */
LLVMValueRef emit_abi_header_address_or_null_constant(struct emit *e);
/* A private constant with a NUL-terminated string, named after the coroutine. */
LLVMValueRef emit_hook_string_constant(const struct emit *e, const char *text, const char *suffix);
/* Fills a function stored in the frame's first slot with the body of abi.resume. */
void hook_emit_resume_hook_call(const struct coro_lowering *low, LLVMBuilderRef builder, LLVMValueRef frame);
/* Clones stored in every switched-resume frame: resume, destroy, cleanup. Clones of a custom ABI follow them. */
enum { HOOK_OF_SLOTS = 3 };
/* The function that resumes a suspend; IR_NONE: any suspend. A null constant if the coroutine never suspends. */
LLVMValueRef hook_resuming_clone_or_null_constant(const struct coro_lowering *low, uint32_t suspend);
