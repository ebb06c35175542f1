/* Mutations of what clones declare: attributes of parameters, calling conventions, the table of clones, the size in
   an async function pointer, and how inlined bodies return.
   Requires: a clone under attack. */
#include <string.h>

#include "attack/attack.h"
#include "ir/async_pointer.h"
#include "ir/edit.h"

static LLVMValueRef first_inst(const struct attack *a)
{
  return LLVMGetFirstInstruction(a->from->entry);
}

static void add_attribute(struct attack *a, unsigned index, const char *name)
{
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  if (LLVMGetEnumAttributeAtIndex(a->from->function, index, kind) || !attack_is_drawn())
    return;
  LLVMAddAttributeAtIndex(a->from->function, index, LLVMCreateEnumAttribute(a->low->context, kind, 0));
  attack_judge(a, "parameter-attribute", first_inst(a));
  LLVMRemoveEnumAttributeAtIndex(a->from->function, index, kind);
}

static void remove_attribute(struct attack *a, unsigned index, const char *name)
{
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAttributeRef old = LLVMGetEnumAttributeAtIndex(a->from->function, index, kind);
  if (!old || !attack_is_drawn())
    return;
  LLVMRemoveEnumAttributeAtIndex(a->from->function, index, kind);
  attack_judge(a, "parameter-attribute", first_inst(a));
  LLVMAddAttributeAtIndex(a->from->function, index, old);
}

/* Then only continuations access the buffer. */
static bool has_frame_elsewhere(const struct attack *a)
{
  return a->from->frame && LLVMIsALoadInst(a->from->frame);
}

static void attack_parameters(struct attack *a)
{
  for (unsigned p = 0; p < LLVMCountParams(a->from->function); p++) {
    if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(a->from->function, p))) == LLVMPointerTypeKind) {
      if (p || !has_frame_elsewhere(a))
        add_attribute(a, p + 1, "noalias");
      add_attribute(a, p + 1, "readonly");
      add_attribute(a, p + 1, "swiftasync");
    }
    remove_attribute(a, p + 1, "swiftasync");
    remove_attribute(a, p + 1, "swiftself");
  }
}

static void change_convention(struct attack *a)
{
  unsigned old = LLVMGetFunctionCallConv(a->from->function);
  if (!attack_is_drawn())
    return;
  LLVMSetFunctionCallConv(a->from->function, old == LLVMColdCallConv ? LLVMCCallConv : LLVMColdCallConv);
  attack_judge(a, "calling-convention-of-clone", first_inst(a));
  LLVMSetFunctionCallConv(a->from->function, old);
}

/* The number of the clone in the table; `clone_count`: it is the ramp. */
static uint32_t number_of(const struct attack *a)
{
  uint32_t number = 0;
  while (number < a->low->clone_count && a->low->clones[number] != a->from->function)
    number++;
  return number;
}

static void swap_with_next_clone(struct attack *a)
{
  uint32_t number = number_of(a);
  if (number + 1 >= a->low->clone_count || !attack_is_drawn())
    return;
  LLVMValueRef old = a->low->clones[number];
  a->low->clones[number] = a->low->clones[number + 1];
  a->low->clones[number + 1] = old;
  attack_judge(a, "swapped-clones", first_inst(a));
  a->low->clones[number + 1] = a->low->clones[number];
  a->low->clones[number] = old;
}

/* Coroutines may share the async or coroutine function pointer, so that it states more than one of them needs. */
static void shrink_context(struct attack *a)
{
  bool async = a->low->shape.abi == CORO_ABI_ASYNC;
  if ((!async && a->low->shape.abi != CORO_ABI_RETCON_DYNAMIC) || number_of(a) < a->low->clone_count)
    return;
  LLVMValueRef id = a->low->fn.insts[a->low->shape.id];
  LLVMValueRef pointer = async_pointer(LLVMGetOperand(id, async ? ASYNC_ID_POINTER : DYNAMIC_POINTER));
  LLVMValueRef old = async_pointer_size(pointer);
  uint64_t header = async ? LLVMConstIntGetZExtValue(LLVMGetOperand(id, ASYNC_ID_SIZE)) : 0;
  async_pointer_set_context_size(pointer, LLVMConstInt(LLVMTypeOf(old), header + a->low->frame.size - 1, false));
  attack_judge(a, "context-size", first_inst(a));
  async_pointer_set_context_size(pointer, old);
}

static bool is_inlined(const struct attack *a, uint32_t body)
{
  for (uint32_t i = 0; i < a->fn.inst_count; i++) {
    struct witness_entry entry = witness_entry_of_value(a->low->witness, a->fn.insts[i]);
    if (entry.kind == WITNESS_INLINED && entry.of == body)
      return true;
  }
  return false;
}

/* The witness: whether the clone returns where an inlined body returns. */
static void attack_bodies(struct attack *a)
{
  for (uint32_t n = 0; n < a->low->witness->bodies.count; n++) {
    struct witness_body *body = &a->low->witness->bodies.items[n];
    if (body->function != a->from->function || !is_inlined(a, n) || !attack_is_drawn())
      continue;
    body->tail = !body->tail;
    attack_judge(a, "tail-body", first_inst(a));
    body->tail = !body->tail;
  }
}

void attack_declaration(struct attack *a)
{
  attack_bodies(a);
  if (a->from->function != a->low->fn.function) {
    attack_parameters(a);
    change_convention(a);
    swap_with_next_clone(a);
  }
  shrink_context(a);
}
