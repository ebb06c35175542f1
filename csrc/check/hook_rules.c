/* Checks the position and the arguments of each hook of a custom ABI, called or inlined, and the initial content of its
   header. */
#include "check/hook_rules.h"

#include <string.h>

#include "check/begin.h"
#include "check/call_rules.h"
#include "check/dispatch.h"
#include "check/hook_state.h"
#include "check/inlined_body.h"
#include "check/own_clone.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "lowering/abi.h"

/* ---- Hooks ---- */

/* Whether the function returns at once. */
static bool does_function_return_at_once(LLVMValueRef function)
{
  LLVMValueRef first = LLVMIsDeclaration(function) ? NULL : LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
  while (first && LLVMIsAAllocaInst(first))
    first = LLVMGetNextInstruction(first);
  return first && LLVMIsAReturnInst(first);
}

static uint32_t block_after_begin_in_ramp_or_none(const struct check *c, const struct check_clone *k)
{
  for (uint32_t b = 0; b < k->fn.block_count && k->from->clone_kind == CLONE_RAMP; b++) {
    uint32_t node = k->node[b];
    if (node != IR_NONE && c->low->cfg.nodes[node].first == c->low->shape.begin + 1)
      return b;
  }
  return IR_NONE;
}

bool hook_rules_find_hooks(struct check *c)
{
  for (uint32_t n = 0; n < c->clone_count; n++) {
    c->clones[n]->begun = block_after_begin_in_ramp_or_none(c, c->clones[n]);
    c->clones[n]->alloc_body = c->clones[n]->dispatch_body = IR_NONE;
  }
  for (enum hook hook = 0; hook < HOOK_COUNT; hook++) {
    LLVMValueRef function = c->witness->hooks[hook];
    if (!function)
      continue;
    c->hooks |= (uint16_t)hook_bit(hook);
    if (does_function_return_at_once(function))
      c->empty_hooks |= (uint16_t)hook_bit(hook);
  }
  bool allocates = c->low->abi->end_frees_frame ? !begin_frame_is_in_buffer(c)
                                                : coro_shape_has_intrinsic(&c->low->shape, &c->low->fn, INTRIN_ALLOC) &&
                                                      c->low->shape.suspend_count;
  if (!allocates)
    c->hooks &= (uint16_t)~(hook_bit(HOOK_alloc) | hook_bit(HOOK_free)); /* the coroutine has memory of its own */
  if (c->hooks & hook_bit(HOOK_end) && !c->low->abi->suspend_returns)
    c->hooks |= HOOK_STATE_MARK;
  return true;
}

static enum hook hook_of_body_or_count(const struct check *c, uint32_t body)
{
  enum hook hook = 0;
  while (hook < HOOK_COUNT && c->witness->hooks[hook] != c->bodies[body].from->callee)
    hook++;
  return hook;
}

bool hook_rules_is_hook(const struct check *c, uint32_t body)
{
  return body < c->witness->bodies.count && hook_of_body_or_count(c, body) < HOOK_COUNT;
}

/* ---- Arguments ---- */

static LLVMValueRef constant_integer(const struct check *c, unsigned bits, uint64_t value)
{
  return LLVMConstInt(LLVMIntTypeInContext(c->low->context, bits), value, false);
}

static uint64_t bit_index_of_clone_kind(unsigned clone_kind)
{
  uint64_t kind = 0;
  for (; clone_kind > 1; clone_kind >>= 1)
    kind++;
  return kind;
}

/* The field of the ABI's header; NULL: none. */
static const struct coro_field *header_field_of_abi_or_null(const struct check *c)
{
  for (uint32_t f = 0; f < c->low->frame.field_count; f++)
    if (c->low->frame.fields[f].kind == CORO_FIELD_HEADER)
      return &c->low->frame.fields[f];
  return NULL;
}

static struct check_argument value_argument(LLVMValueRef value)
{
  return (struct check_argument){.kind = ARGUMENT_VALUE, .value = value};
}

static struct check_argument header_argument(const struct check *c)
{
  const struct coro_field *header = header_field_of_abi_or_null(c);
  return header ? (struct check_argument){.kind = ARGUMENT_FRAME, .offset = header->offset}
                : value_argument(LLVMConstNull(LLVMPointerTypeInContext(c->low->context, 0)));
}

/* Where a hook is executed. */
struct hook_place {
  uint32_t presplit; /* before this instruction */
  uint32_t suspend; /* that its arguments describe; IR_NONE: none */
  uint32_t index; /* the stored index, if it is not that of the suspend */
};

static struct check_argument fixed_hook_argument(const struct check_walk *w, enum hook_argument kind,
                                                 const struct hook_place *place)
{
  const struct check *c = w->c;
  const struct coro_suspend *of = place->suspend == IR_NONE ? NULL : &c->low->shape.suspends[place->suspend];
  bool own_memory = w->k->from->clone_kind == CLONE_DESTROY || c->low->abi->end_frees_frame;
  switch (kind) {
  case ARG_FRAME: return value_argument(w->k->from->frame);
  case ARG_HEADER: return header_argument(c);
  case ARG_NAME:
    return (struct check_argument){.kind = ARGUMENT_TEXT, .text = LLVMGetValueName2(c->low->fn.function, &(size_t){0})};
  case ARG_MEMORY: return value_argument(own_memory ? w->k->from->frame : w->k->memory);
  case ARG_SIZE: return value_argument(constant_integer(c, 64, c->low->frame.size));
  case ARG_ALIGN: return value_argument(constant_integer(c, 64, c->low->frame.align));
  case ARG_INDEX: return value_argument(constant_integer(c, 32, of ? of->index : place->index));
  case ARG_FINAL: return value_argument(constant_integer(c, 1, of && of->final));
  case ARG_CLONE: return value_argument(find_function_resuming_suspend(c, place->suspend));
  case ARG_DESTROYED: return value_argument(constant_integer(c, 1, w->k->from->clone_kind != CLONE_RESUME));
  case ARG_CLONE_KIND: return value_argument(constant_integer(c, 32, bit_index_of_clone_kind(w->k->from->clone_kind)));
  default: return value_argument(NULL); /* no value is equal */
  }
}

/* Further arguments of abi.alloc are the coroutine's; those of abi.resumed are the clone's parameters after the frame,
   or zero where the coroutine is destroyed. */
static struct check_argument extra_hook_argument(const struct check_walk *w, enum hook hook, unsigned index,
                                                 LLVMTypeRef type)
{
  LLVMValueRef function = w->k->from->function;
  bool own = clone_has_prototype_of_abi_clone(w->c, w->k);
  index += hook != HOOK_alloc;
  if (hook != HOOK_alloc && !own)
    return value_argument(LLVMConstNull(type));
  return value_argument(index < LLVMCountParams(function) ? LLVMGetParam(function, index) : NULL);
}

/* The arguments of a hook at the walk's position. NULL: out of memory. */
static const struct check_argument *arguments_of_hook(struct check_walk *w, enum hook hook,
                                                      const struct hook_place *place)
{
  unsigned count = LLVMCountParams(w->c->witness->hooks[hook]);
  struct check_argument *arguments = CORO_NEW_ARRAY(w->c->arena, struct check_argument, count + 1);
  unsigned own = hook_defined_argument_count(hook);
  for (unsigned i = 0; i < count && arguments; i++)
    arguments[i] = i < own
                       ? fixed_hook_argument(w, hook_argument_kind(hook, i), place)
                       : extra_hook_argument(w, hook, i - own, LLVMTypeOf(LLVMGetParam(w->c->witness->hooks[hook], i)));
  return arguments;
}

/* ---- Places ---- */

static bool refute_hook_place(struct check_walk *w, uint32_t inst, enum hook hook)
{
  return check_refute(w->c, w->k, w->k->fn.insts[inst], "abi.%s is not executed here",
                      hook_name_without_abi_prefix(hook));
}

/* After llvm.coro.begin or at a landing. */
static bool execute_due_hook(struct check_walk *w, uint32_t inst, enum hook hook)
{
  if (hook == HOOK_begin && !skip_to_presplit_inst(w, w->c->low->shape.begin + 1))
    return false;
  if (!(w->state.due & hook_bit(hook)) || w->state.due & HOOK_STATE_HEADER)
    return refute_hook_place(w, inst, hook);
  w->state.due &= (uint16_t)~hook_bit(hook);
  return true;
}

/* Once, before the landing. */
static bool accept_dispatch_hook_before_landing(struct check_walk *w, uint32_t inst, uint32_t body)
{
  if (w->state.where != WHERE_DISPATCH || w->k->dispatch_body != IR_NONE || w->k->from->clone_kind == CLONE_RAMP)
    return refute_hook_place(w, inst, HOOK_dispatch);
  w->k->dispatch_body = body;
  return true;
}

/* Whether the hook may be executed here as far as branches are concerned: it is always executed, or a branch has
   chosen it. */
static bool is_hook_unconditional_or_chosen(const struct check_walk *w, enum hook hook)
{
  bool always = hook == HOOK_save || hook == HOOK_suspend || (hook == HOOK_end && w->c->low->abi->suspend_returns) ||
                (hook == HOOK_free && w->k->from->clone_kind == CLONE_DESTROY) || w->c->low->abi->end_frees_frame;
  return always || w->state.chosen & hook_bit(hook);
}

/* The hooks that precede another one. At an end, abi.end is the first. */
static unsigned hooks_that_must_precede(const struct check_walk *w, enum hook hook, uint32_t presplit)
{
  if (w->c->low->shape.intrin[presplit] == INTRIN_END)
    return hook == HOOK_end ? 0 : hook_bit(HOOK_end);
  return hook_bit(hook) - 1;
}

/* Before a presplit instruction. A symmetric transfer is between abi.suspend and its suspend. */
static bool execute_hook_before_instruction(struct check_walk *w, uint32_t inst, enum hook hook, uint32_t presplit)
{
  if (w->state.transfer == IR_NONE && !skip_to_presplit_inst(w, presplit))
    return false;
  unsigned required = hook_state_hooks_required_before(w->c, w->k, w->block, w->position, presplit);
  unsigned earlier = required & hooks_that_must_precede(w, hook, presplit) & ~(unsigned)w->c->empty_hooks;
  if (!(required & hook_bit(hook)) || w->state.hooks & hook_bit(hook) & ~(unsigned)w->c->empty_hooks ||
      (w->state.hooks & earlier) != earlier || w->state.due & ~(unsigned)w->c->empty_hooks ||
      w->state.freed != IR_NONE || !is_hook_unconditional_or_chosen(w, hook))
    return refute_hook_place(w, inst, hook);
  w->state.hooks |= (uint16_t)hook_bit(hook);
  return true;
}

/* Notes what later rules need to know. */
static void record_body_of_executed_hook(struct check_walk *w, enum hook hook, uint32_t body, uint32_t presplit)
{
  if (hook == HOOK_alloc)
    w->k->alloc_body = body;
  if (hook == HOOK_suspend || hook == HOOK_end)
    w->state.result_body = body;
  if (hook == HOOK_free && w->c->low->abi->end_frees_frame)
    w->state.freed = presplit;
}

/* IR_NONE in `presplit`: it is not executed here. */
static struct hook_place place_of_hook(const struct check_walk *w, enum hook hook, uint32_t inst)
{
  struct hook_place place = {inst, IR_NONE, 0};
  bool transfers = hook == HOOK_suspend && w->state.transfer != IR_NONE && w->k->from->clone_kind != CLONE_RAMP;
  if (transfers)
    place.presplit = find_suspend_along_jumps_or_none(w);
  if (hook == HOOK_resumed)
    place.suspend = w->k->landing[w->block];
  else if ((hook == HOOK_save || hook == HOOK_suspend) && place.presplit != IR_NONE)
    place.suspend = check_suspend_of(w->c, place.presplit);
  if (hook == HOOK_save && place.suspend == IR_NONE && !find_suspend_index_of_exception_end(w->c, inst, &place.index))
    place.presplit = IR_NONE;
  return place;
}

/* Moves to the place of the hook. Its arguments there; NULL, with an answer: it has none. */
static const struct check_argument *arguments_after_move_to_hook_or_null(struct check_walk *w, uint32_t inst,
                                                                         uint32_t body, enum hook hook)
{
  struct hook_place place = place_of_hook(w, hook, w->c->bodies[body].from->inst);
  bool due = hook == HOOK_begin || hook == HOOK_resumed;
  if (hook == HOOK_dispatch)
    return accept_dispatch_hook_before_landing(w, inst, body) ? arguments_of_hook(w, hook, &place) : NULL;
  if ((w->state.where != WHERE_INST && w->state.where != WHERE_EDGE) || place.presplit == IR_NONE) {
    refute_hook_place(w, inst, hook);
    return NULL;
  }
  if (hook == HOOK_resumed && w->k->landing[w->block] == IR_NONE) {
    check_unsupported(w->c, "abi.resumed after the block of its landing");
    return NULL;
  }
  if (!(due ? execute_due_hook(w, inst, hook) : execute_hook_before_instruction(w, inst, hook, place.presplit)))
    return NULL;
  record_body_of_executed_hook(w, hook, body, place.presplit);
  return arguments_of_hook(w, hook, &place);
}

bool hook_rules_enter_body(struct check_walk *w, uint32_t inst, uint32_t body)
{
  const struct check_argument *arguments =
      arguments_after_move_to_hook_or_null(w, inst, body, hook_of_body_or_count(w->c, body));
  if (w->c->bodies[body].from->tail)
    return check_refute(w->c, w->k, w->k->fn.insts[inst], "the clone returns where the hook returns");
  return arguments && inlined_body_enter_once(w, inst, body, arguments);
}

bool hook_rules_check_call(struct check_walk *w, uint32_t inst, uint32_t body)
{
  LLVMValueRef call = w->k->fn.insts[inst], callee = LLVMGetCalledValue(call);
  if (!hook_rules_is_hook(w->c, body) || callee != w->c->bodies[body].from->callee)
    return check_refute(w->c, w->k, call, "it is no call of a hook");
  if (LLVMGetNumOperandBundles(call))
    return check_unsupported(w->c, "a hook in a pad");
  const struct check_argument *arguments =
      arguments_after_move_to_hook_or_null(w, inst, body, hook_of_body_or_count(w->c, body));
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && arguments; i++)
    if (!inlined_body_match_argument(w->c, w->k, inst, LLVMGetOperand(call, i), &arguments[i]))
      return check_refute(w->c, w->k, call, "argument %u is not that of the hook", i);
  return arguments && check_type_and_attributes_of_added_call(w, call);
}

bool hook_rules_check_dispatch_branch(struct check_walk *w, uint32_t inst)
{
  LLVMValueRef index = flow_switch_operand(w->k->fn.insts[inst]);
  return !index || !w->c->witness->hooks[HOOK_dispatch] ||
         inlined_body_is_result(w->c, w->k, w->k->dispatch_body, index) ||
         check_refute(w->c, w->k, w->k->fn.insts[inst], "it does not branch on the result of abi.dispatch");
}

/* ---- The header ---- */

/* The value that store number `store_number` of the header's initial content stores. The first one stores the whole
   initializer, if there is one: NULL. */
static const struct coro_header_value *header_value_of_store_or_null(const struct check *c, uint32_t store_number)
{
  const struct coro_header_value *value = c->low->header_values;
  if (c->witness->header_value && !store_number)
    return NULL;
  for (store_number -= c->witness->header_value != NULL; store_number && value; store_number--)
    value = value->next;
  return value;
}

static uint64_t offset_of_header_element(const struct check *c, const struct coro_field *header, uint32_t element)
{
  return LLVMGetTypeKind(header->type) == LLVMStructTypeKind
             ? LLVMOffsetOfElement(c->low->layout, header->type, element)
             : 0;
}

static LLVMTypeRef type_of_header_element(const struct coro_field *header, uint32_t element)
{
  return LLVMGetTypeKind(header->type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(header->type, element)
                                                             : header->type;
}

static bool is_initial_header_value(struct check_walk *w, uint32_t inst, const struct coro_field *header,
                                    const struct coro_header_value *value, LLVMValueRef stored)
{
  LLVMTypeRef type = type_of_header_element(header, value->element);
  if (LLVMTypeOf(stored) != type)
    return false;
  if (value->kind == HEADER_NUMBER) {
    uint64_t mask = LLVMGetIntTypeWidth(type) < 64 ? ~(UINT64_MAX << LLVMGetIntTypeWidth(type)) : UINT64_MAX;
    return stored == LLVMConstInt(type, value->number & mask, false);
  }
  if (value->kind == HEADER_TEXT)
    return inlined_body_match_argument(w->c, w->k, inst, stored,
                                       &(struct check_argument){.kind = ARGUMENT_TEXT, .text = value->text});
  size_t length = 0;
  LLVMValueRef named = edit_strip_casts_and_zero_geps(stored);
  return LLVMIsAGlobalValue(named) && !strcmp(LLVMGetValueName2(named, &length), value->text);
}

bool hook_rules_accepts_header_store(struct check_walk *w, uint32_t inst, uint64_t offset)
{
  LLVMValueRef stored = LLVMGetOperand(w->k->fn.insts[inst], STORE_VALUE);
  uint32_t begin = w->c->low->shape.begin, index = w->k->header_stores, count = hook_state_count_header_stores(w->c);
  if (w->k->from->clone_kind != CLONE_RAMP || index >= count)
    return false;
  const struct coro_field *header = header_field_of_abi_or_null(w->c);
  if (!header || offset < header->offset || offset >= header->offset + header->size)
    return false;
  const struct coro_header_value *value = header_value_of_store_or_null(w->c, index);
  bool same = value ? offset == header->offset + offset_of_header_element(w->c, header, value->element) &&
                          is_initial_header_value(w, inst, header, value, stored)
                    : offset == header->offset && stored == w->c->witness->header_value;
  if (!same || !skip_to_presplit_inst(w, begin + 1) || !(w->state.due & HOOK_STATE_HEADER))
    return check_refute(w->c, w->k, w->k->fn.insts[inst], "it is not the initial content of the ABI's header");
  w->k->header_stores++;
  if (w->k->header_stores == count)
    w->state.due &= (uint16_t)~HOOK_STATE_HEADER;
  return true;
}
