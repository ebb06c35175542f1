/* Emission: variables of a part, which the source has as allocas or as memory that its caller gives it.
   Needs: emission under way. Leaves: those that are asked for, each once, in the part's entry or in the frame. */
#ifndef CORO_EMIT_VARIABLE_H
#define CORO_EMIT_VARIABLE_H

#include "emit/emit.h"

/* The address of variable `value` where control is in `node`. */
LLVMValueRef variable_of(struct emit *e, uint32_t value, uint32_t node);
/* Copies one pointer. It is loaded and stored: the variable may be a swifterror, that can be used by nothing else. */
void variable_copy(LLVMBuilderRef builder, const struct coro_alloca *item, LLVMValueRef from, LLVMValueRef to);
/* Those that only the coroutine's id or a lifetime still named. */
void variable_drop_unused(struct emit *e);

static inline const struct coro_alloca *variable_item(const struct emit *e, uint32_t value) /* NULL: is none */
{
  uint32_t a = e->low->allocas.of_value[value];
  return a == IR_NONE ? NULL : &e->low->allocas.items[a];
}

#endif
