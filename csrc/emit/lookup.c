/* Emission: where a copy finds the values that it needs.
   Needs: emission under way. Leaves: reloads and values made again at the head of their place, addresses at the head of
   the part. */
#include <string.h>

#include "emit/emit.h"
#include "emit/storage.h"
#include "emit/swifterror.h"
#include "ir/edit.h"
#include "ir/swifterror.h"
#include "llvm-c/DebugInfo.h"

static bool begins_with_pad(LLVMValueRef inst)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
  return opcode == LLVMLandingPad || opcode == LLVMCleanupPad || opcode == LLVMCatchPad;
}

/* In a block that is still empty: what is placed at its head comes before this, in the order in which it was asked for,
   and what the node itself does comes behind it. */
static LLVMValueRef stand_in(struct emit *e, uint32_t node)
{
  LLVMPositionBuilderAtEnd(e->aside, e->blocks[node]);
  (void)coro_vec_push(e->low->arena, &e->stand_ins, node);
  return LLVMBuildFence(e->aside, LLVMAtomicOrderingSequentiallyConsistent, false, "");
}

void emit_drop_stand_ins(struct emit *e)
{
  for (uint32_t i = 0; i < e->stand_ins.count; i++) {
    LLVMValueRef *anchor = &e->anchors[e->stand_ins.items[i]];
    LLVMInstructionEraseFromParent(*anchor);
    *anchor = NULL;
  }
  e->stand_ins.count = 0;
}

/* The first place in a node's block where a load can stand: behind phis and the pad. */
static LLVMValueRef anchor(struct emit *e, uint32_t node)
{
  if (!e->anchors[node]) {
    LLVMValueRef at = LLVMGetFirstInstruction(e->blocks[node]);
    while (at && LLVMGetInstructionOpcode(at) == LLVMPHI)
      at = LLVMGetNextInstruction(at);
    if (at && begins_with_pad(at))
      at = LLVMGetNextInstruction(at);
    e->anchors[node] = at ? at : stand_in(e, node);
  }
  return e->anchors[node];
}

/* Before what the node itself does, and behind what was placed there already. */
void emit_move_to_head(struct emit *e, uint32_t node)
{
  LLVMPositionBuilderBefore(e->aside, anchor(e, node));
}

static void name_after(struct emit *e, LLVMValueRef made, LLVMValueRef source, const char *suffix)
{
  size_t length = 0;
  const char *name = LLVMGetValueName2(source, &length);
  char *full = length ? coro_arena_printf(e->low->arena, "%s%s", name, suffix) : NULL;
  if (full && LLVMIsAInstruction(made))
    LLVMSetValueName2(made, full, length + strlen(suffix));
}

/* In the ramp's own function the source gives its name up. */
static void take_name(struct emit *e, LLVMValueRef made, LLVMValueRef source)
{
  size_t length = 0;
  const char *name = LLVMGetValueName2(source, &length);
  char *own = length ? coro_arena_strndup(e->low->arena, name, length) : NULL;
  if (own && emit_in_place(e) && LLVMIsAInstruction(source))
    LLVMSetValueName2(source, "", 0);
  if (own)
    LLVMSetValueName2(made, own, length);
}

static LLVMValueRef frame_offset(struct emit *e, LLVMBuilderRef builder, uint64_t offset, const char *name)
{
  LLVMTypeRef i8 = LLVMInt8TypeInContext(e->low->context), i64 = LLVMInt64TypeInContext(e->low->context);
  LLVMValueRef index = LLVMConstInt(i64, offset, false);
  return offset ? LLVMBuildInBoundsGEP2(builder, i8, e->frame, &index, 1, name) : e->frame;
}

LLVMValueRef emit_frame_offset(struct emit *e, uint64_t offset, const char *name)
{
  return frame_offset(e, e->builder, offset, name);
}

LLVMValueRef emit_align(struct emit *e, LLVMBuilderRef builder, LLVMValueRef address, uint64_t have, uint64_t want)
{
  LLVMTypeRef i8 = LLVMInt8TypeInContext(e->low->context);
  LLVMTypeRef word = ir_index_type(e->low->context, e->low->layout);
  LLVMTypeRef types[2] = {LLVMTypeOf(address), word};
  LLVMValueRef function = intrin_declare(e->low->table, e->low->module, INTRIN_PTRMASK, types, 2);
  LLVMValueRef slack = LLVMConstInt(word, want - have, false);
  LLVMValueRef arguments[2] = {LLVMBuildInBoundsGEP2(builder, i8, address, &slack, 1, ""),
                               LLVMConstInt(word, ~(want - 1), true)};
  return edit_build_call(builder, function, arguments, 2, "");
}

static LLVMValueRef compute_slot(struct emit *e, const struct coro_field *field)
{
  bool spill = field->kind == CORO_FIELD_SPILL;
  LLVMPositionBuilderBefore(e->aside, e->head);
  LLVMValueRef slot = frame_offset(e, e->aside, field->offset, "");
  if (field->value == IR_NONE || (uint32_t)(field - e->low->frame.fields) == e->low->frame.heap_field)
    return slot;
  LLVMValueRef source = ir_value(&e->low->fn, field->value);
  if (field->realign)
    slot = emit_align(e, e->aside, slot, field->align, field->realign);
  if (slot != e->frame)
    name_after(e, slot, source, spill ? ".spill.addr" : ".reload.addr");
  if (!spill && LLVMTypeOf(source) != LLVMTypeOf(slot)) /* a variable of another address space than the frame's */
    slot = LLVMBuildAddrSpaceCast(e->aside, slot, LLVMTypeOf(source), "");
  return slot;
}

LLVMValueRef emit_slot(struct emit *e, uint32_t field)
{
  if (!e->slots[field]) {
    e->slots[field] = compute_slot(e, &e->low->frame.fields[field]);
    (void)coro_vec_push(e->low->arena, &e->slots_used, field); /* the arena remembers that it failed */
  }
  return e->slots[field];
}

/* What a part has in the place of memory that was the caller's, and of a swifterror parameter. */
static LLVMValueRef make_variable(struct emit *e, uint32_t value)
{
  const struct coro_alloca *a = &e->low->allocas.items[e->low->allocas.of_value[value]];
  if (!a->byval)
    return swifterror_make(e, e->aside, value);
  LLVMValueRef variable = LLVMBuildAlloca(e->aside, a->type, "");
  edit_set_alignment(variable, a->align);
  return LLVMBuildAddrSpaceCast(e->aside, variable, LLVMTypeOf(ir_value(&e->low->fn, value)), ""); /* if need be */
}

static LLVMValueRef local_alloca(struct emit *e, uint32_t value)
{
  if (!e->values[value]) {
    LLVMValueRef source = ir_value(&e->low->fn, value), copy;
    LLVMValueRef before = e->last_alloca ? LLVMGetNextInstruction(e->last_alloca) : LLVMGetFirstInstruction(e->entry);
    if (before)
      LLVMPositionBuilderBefore(e->aside, before);
    else
      LLVMPositionBuilderAtEnd(e->aside, e->entry);
    if (LLVMIsAArgument(source))
      copy = make_variable(e, value);
    else
      LLVMInsertIntoBuilder(e->aside, copy = LLVMInstructionClone(source));
    if (e->low->frame.of_value[value] == IR_NONE)
      take_name(e, copy, source);
    else
      name_after(e, copy, source, "");
    e->last_alloca = e->values[value] = copy;
    (void)coro_vec_push(e->low->arena, &e->variables, value);
    if (e->part != PART_RAMP && e->low->allocas.items[e->low->allocas.of_value[value]].kept)
      swifterror_restore(e, value, copy);
  }
  return e->values[value];
}

static LLVMValueRef lookup_alloca(struct emit *e, uint32_t value, uint32_t node)
{
  const struct coro_alloca *a = &e->low->allocas.items[e->low->allocas.of_value[value]];
  if (a->in_frame && cfg_has_frame(&e->low->cfg, e->part, node))
    return emit_slot(e, e->low->frame.of_value[value]);
  if (value < e->low->fn.arg_count && e->part == PART_RAMP)
    return LLVMGetParam(e->function, value);
  return value == e->low->shape.error && e->low->passes_error ? ir_swifterror_param(e->function)
                                                              : local_alloca(e, value);
}

LLVMValueRef emit_home(const struct emit *e)
{
  return e->part == PART_RAMP ? LLVMGetParam(e->function, e->low->home) : e->home;
}

/* Values that are the same wherever they are asked for; NULL for every other value. */
static LLVMValueRef lookup_free(struct emit *e, uint32_t value, uint32_t node)
{
  uint32_t inst = ir_inst_of_value(&e->low->fn, value);
  if (!coro_value_is_free(e->low, value))
    return NULL;
  if (value == e->low->home)
    return emit_home(e);
  if (inst == IR_NONE)
    return lookup_alloca(e, value, node);
  LLVMTypeRef type = LLVMTypeOf(e->low->fn.insts[inst]);
  switch (e->low->shape.intrin[inst]) {
  case INTRIN_BEGIN:
  case INTRIN_FRAME: return e->frame;
  case INTRIN_SIZE: return LLVMConstInt(type, e->low->frame.size, false);
  case INTRIN_ALIGN: return LLVMConstInt(type, e->low->frame.align, false);
  case INTRIN_IS_IN_RAMP: return LLVMConstInt(type, e->part == PART_RAMP, false);
  case INTRIN_PROMISE: return emit_slot(e, e->low->frame.promise_field);
  default: return lookup_alloca(e, value, node);
  }
}

static LLVMValueRef merge(struct emit *e, uint32_t value, uint32_t node)
{
  LLVMValueRef first = LLVMGetFirstInstruction(e->blocks[node]);
  if (first)
    LLVMPositionBuilderBefore(e->aside, first);
  else
    LLVMPositionBuilderAtEnd(e->aside, e->blocks[node]);
  LLVMValueRef source = ir_value(&e->low->fn, value); /* no token: those who need that are behind the catchswitch */
  LLVMValueRef phi = LLVMBuildPhi(e->aside, LLVMTypeOf(source), "");
  name_after(e, phi, source, ".merge");
  (void)coro_vec_push(e->low->arena, &e->merges, ((struct emit_merge){phi, value, node}));
  return phi;
}

static LLVMValueRef reload(struct emit *e, uint32_t value, uint32_t place)
{
  const struct coro_field *field = &e->low->frame.fields[e->low->frame.of_value[value]];
  LLVMValueRef slot = emit_slot(e, e->low->frame.of_value[value]);
  emit_move_to_head(e, place);
  LLVMValueRef load = LLVMBuildLoad2(e->aside, field->type, slot, "");
  edit_set_alignment(load, field->align);
  name_after(e, load, ir_value(&e->low->fn, value), ".reload");
  return load;
}

static LLVMValueRef make_again(struct emit *e, uint32_t value, uint32_t place)
{
  const struct ir_fn *fn = &e->low->fn;
  uint32_t inst = ir_inst_of_value(fn, value), count = fn->operand_start[inst + 1] - fn->operand_start[inst];
  if (fn->opcode[inst] == LLVMPHI) /* of one address, whichever way control came */
    return emit_lookup(e, fn->operands[fn->operand_start[inst]], place);
  if (e->low->shape.intrin[inst] == INTRIN_ALLOCA_GET) {
    LLVMValueRef block = emit_lookup(e, fn->operands[fn->operand_start[inst]], place);
    emit_move_to_head(e, place);
    return storage_address(e, e->aside, inst, block);
  }
  LLVMValueRef copy = LLVMInstructionClone(fn->insts[inst]);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t operand = fn->operands[fn->operand_start[inst] + k];
    if (operand != IR_NONE)
      LLVMSetOperand(copy, k, emit_lookup(e, operand, place));
  }
  emit_move_to_head(e, place);
  if (e->part == PART_RAMP)
    LLVMPositionBuilderBefore(e->aside, e->head);
  LLVMInsertIntoBuilder(e->aside, copy);
  name_after(e, copy, fn->insts[inst], "");
  return copy;
}

/* In the ramp: an address made before coro.begin out of a variable that has moved into the frame since. */
static bool is_rebuilt(const struct emit *e, uint32_t value, uint32_t node)
{
  return e->part == PART_RAMP && coro_bits_get(&e->low->allocas.rebuilt, value) &&
         cfg_has_frame(&e->low->cfg, e->part, node);
}

LLVMValueRef emit_lookup(struct emit *e, uint32_t value, uint32_t node)
{
  const struct coro_lowering *low = e->low;
  LLVMValueRef found = lookup_free(e, value, node);
  if (found)
    return found;
  bool rebuilt = is_rebuilt(e, value, node);
  if (e->part == PART_RAMP && !rebuilt)
    return value < low->fn.arg_count ? LLVMGetParam(e->function, value) : e->values[value];
  const uint32_t *epoch = low->crossing.epoch;
  if (!rebuilt && epoch[coro_node_of_value(&low->fn, &low->cfg, value)] == epoch[node])
    return e->values[value];
  uint32_t place = rebuilt ? low->cfg.begin_node : low->crossing.place[node];
  uint64_t made = 0, key = coro_map_pair(value, place);
  if (coro_map_get(&e->made, key, &made))
    return (LLVMValueRef)(uintptr_t)made;
  if (cfg_is_catchswitch(&low->cfg, &low->fn, place))
    found = merge(e, value, place);
  else
    found = !rebuilt && low->frame.of_value[value] != IR_NONE ? reload(e, value, place) : make_again(e, value, place);
  coro_map_put(&e->made, key, (uint64_t)(uintptr_t)found);
  return found;
}

LLVMValueRef emit_operand(struct emit *e, uint32_t inst, unsigned index)
{
  uint32_t operand = ir_operand(&e->low->fn, inst, index);
  if (operand == IR_NONE)
    return LLVMGetOperand(e->low->fn.insts[inst], index);
  return emit_lookup(e, operand, e->low->cfg.node_of_inst[inst]);
}

LLVMValueRef emit_bundle_operand(struct emit *e, uint32_t call)
{
  return emit_operand(e, call, LLVMGetNumArgOperands(e->low->fn.insts[call])); /* bundles follow the arguments */
}

static LLVMBasicBlockRef copy_of_block(struct emit *e, uint32_t inst, LLVMBasicBlockRef source)
{
  uint32_t block = ir_id(&e->low->fn, LLVMBasicBlockAsValue(source)) & ~IR_BLOCK;
  return emit_successor(e, e->low->cfg.node_of_inst[inst], block);
}

/* NULL where the builder is in no pad. */
static LLVMOperandBundleRef funclet(const struct emit *e)
{
  static const char tag[] = "funclet";
  LLVMValueRef pad = e->pad == IR_NONE ? NULL : e->values[e->pad];
  return pad ? LLVMCreateOperandBundle(tag, sizeof tag - 1, &pad, 1) : NULL;
}

static void dispose(LLVMOperandBundleRef bundle)
{
  if (bundle)
    LLVMDisposeOperandBundle(bundle);
}

LLVMValueRef emit_call_as(struct emit *e, LLVMTypeRef type, LLVMValueRef callee, LLVMValueRef *arguments,
                          unsigned count)
{
  LLVMOperandBundleRef bundle = funclet(e);
  LLVMValueRef call =
      LLVMBuildCallWithOperandBundles(e->builder, type, callee, arguments, count, &bundle, bundle != NULL, "");
  dispose(bundle);
  return call;
}

/* How parameters are passed is part of a function's type as far as a call of it is concerned. */
static void copy_passing(struct coro_arena *arena, LLVMValueRef callee, LLVMValueRef call)
{
  for (unsigned p = 1; p <= LLVMCountParams(callee); p++) {
    struct edit_attributes all = edit_attributes_of(arena, callee, p);
    for (unsigned i = 0; i < all.count; i++)
      LLVMAddCallSiteAttribute(call, p, all.items[i]);
  }
}

LLVMValueRef emit_call(struct emit *e, LLVMValueRef function, LLVMValueRef *arguments, unsigned count)
{
  LLVMValueRef call = emit_call_as(e, LLVMGlobalGetValueType(function), function, arguments, count);
  LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
  copy_passing(e->low->arena, function, call);
  return call;
}

LLVMValueRef emit_call_instead(struct emit *e, uint32_t inst, LLVMTypeRef type, LLVMValueRef callee,
                               LLVMValueRef *arguments, unsigned count, LLVMBasicBlockRef normal)
{
  LLVMValueRef source = e->low->fn.insts[inst], call;
  if (e->low->fn.opcode[inst] == LLVMInvoke) {
    LLVMOperandBundleRef bundle = funclet(e);
    call = LLVMBuildInvokeWithOperandBundles(
        e->builder, type, callee, arguments, count, normal ? normal : copy_of_block(e, inst, LLVMGetNormalDest(source)),
        copy_of_block(e, inst, LLVMGetUnwindDest(source)), &bundle, bundle != NULL, "");
    dispose(bundle);
  } else {
    call = emit_call_as(e, type, callee, arguments, count);
  }
  LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(source));
  return call;
}
