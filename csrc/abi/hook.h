/* Calls of an ABI's hooks while a part is made.
   Needs: emission under way, a template that is linked. Leaves: at the builder's position what the hook does, inlined
   where that can be. */
#ifndef CORO_ABI_HOOK_H
#define CORO_ABI_HOOK_H

#include "abi/template.h"
#include "emit/emit.h"

/* What a hook is told, beyond what is true of the whole part. */
struct hook_site {
  uint32_t inst;       /* of the source, that it stands for */
  uint32_t suspend;    /* index in shape.suspends, IR_NONE: none */
  uint64_t index;      /* that is stored, of what is no suspend */
  LLVMValueRef memory; /* ARG_MEMORY */
  bool passed;         /* the part's own parameters follow */
};

bool hook_has(const struct emit *e, enum hook hook);
/* What it returns, NULL for nothing; memory ran out where the arena has failed. */
LLVMValueRef hook_call(struct emit *e, enum hook hook, const struct hook_site *site);
/* Of the frame: its own header's address. */
LLVMValueRef hook_header(struct emit *e);
/* A constant of the module's with the text and a NUL, called by the coroutine. */
LLVMValueRef hook_text(const struct emit *e, const char *text, const char *suffix);
/* In what the frame's first slot holds: what abi.resume does. */
void hook_fill_resume(const struct coro_lowering *low, LLVMBuilderRef builder, LLVMValueRef frame);
/* The clones that every switched-resume frame names: resume, destroy, cleanup. The ABI's own parts follow. */
enum { HOOK_OF_SLOTS = 3 };
/* The function that goes on behind a suspend; IR_NONE: behind any. Null where the coroutine never suspends. */
LLVMValueRef hook_part(const struct coro_lowering *low, uint32_t suspend);

#endif
