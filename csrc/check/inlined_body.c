/* Compares inlined copies with their callee in the order of execution; see inlined_body.h.
   Requires: a witness that names the callee, and the original of each copied instruction. */
#include "check/inlined_body.h"

#include <string.h>

#include "check/claim_list.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "transform/identical_instruction.h"
#include "transform/tailcall.h"

static const char *callee_name(const struct check_body *body)
{
  return LLVMGetValueName2(body->from->callee, &(size_t){0});
}

/* ---- Copies ---- */

/* The numbered callee; bodies of one function share it. NULL: out of memory. */
static const struct ir_fn *numbered_callee_or_null(struct check *c, LLVMValueRef callee)
{
  uint64_t known = 0;
  if (coro_map_get(&c->callees, coro_map_key(callee), &known))
    return (const struct ir_fn *)(uintptr_t)known;
  struct ir_fn *fn = CORO_NEW(c->arena, struct ir_fn);
  if (!fn || !ir_number_function(fn, c->arena, callee))
    return NULL;
  (void)coro_map_put(&c->callees, coro_map_key(callee), (uint64_t)(uintptr_t)fn);
  return fn;
}

static bool allocate_body_maps(struct check *c, struct check_body *body, const struct witness_body *from)
{
  body->from = from;
  body->first = IR_NONE;
  body->fn = numbered_callee_or_null(c, from->callee);
  body->copies = body->fn ? CORO_NEW_ARRAY(c->arena, uint32_t, body->fn->inst_count) : NULL;
  body->returned = body->fn ? CORO_NEW_ARRAY(c->arena, uint32_t, body->fn->block_count) : NULL;
  if (!body->copies || !body->returned)
    return false;
  for (uint32_t i = 0; i < body->fn->inst_count; i++)
    body->copies[i] = IR_NONE;
  for (uint32_t b = 0; b < body->fn->block_count; b++)
    body->returned[b] = IR_NONE;
  return true;
}

/* The instruction of the callee that one of the clone is a copy of; IR_NONE: none. */
static uint32_t callee_instruction_copied_by_or_none(const struct check *c, const struct check_clone *k, uint32_t inst)
{
  return ir_inst(c->bodies[k->entries[inst].of].fn, witness_original_or_null(c->witness, k->fn.insts[inst]));
}

static bool record_only_copy_in_body(struct check *c, const struct check_clone *k, uint32_t inst)
{
  uint32_t number = k->entries[inst].of;
  struct check_body *body = number < c->witness->bodies.count ? &c->bodies[number] : NULL;
  uint32_t original =
      body && body->from->function == k->from->function ? callee_instruction_copied_by_or_none(c, k, inst) : IR_NONE;
  if (original == IR_NONE || body->copies[original] != IR_NONE)
    return check_refute(c, k, k->fn.insts[inst], "it is not the only copy of an instruction of a callee");
  body->copies[original] = inst;
  return true;
}

bool inlined_body_find_copies(struct check *c)
{
  uint32_t count = c->witness->bodies.count;
  struct coro_map first;
  coro_map_init(&first, c->arena);
  coro_map_init(&c->callees, c->arena);
  c->bodies = CORO_NEW_ARRAY(c->arena, struct check_body, count);
  for (uint32_t b = count; b-- > 0 && c->bodies;)
    if (!allocate_body_maps(c, &c->bodies[b], &c->witness->bodies.items[b]) ||
        !coro_map_put(&first, coro_map_key(c->bodies[b].from->function), b))
      return false;
  for (uint32_t n = 0; n < c->clone_count && c->bodies && count; n++) {
    uint64_t body = count;
    coro_map_get(&first, coro_map_key(c->clones[n]->from->function), &body);
    c->clones[n]->first_body = (uint32_t)body;
    for (uint32_t i = 0; i < c->clones[n]->fn.inst_count; i++)
      if (c->clones[n]->entries[i].kind == WITNESS_INLINED && !record_only_copy_in_body(c, c->clones[n], i))
        return false;
  }
  return c->bodies;
}

/* ---- Position ---- */

/* Allocas of fixed size in the callee's entry are in the clone's entry. */
static bool is_static_entry_alloca(const struct check_body *body, uint32_t original)
{
  return body->fn->opcode[original] == LLVMAlloca && body->fn->inst_block[original] == 0 &&
         LLVMIsAConstantInt(LLVMGetOperand(body->fn->insts[original], ALLOCA_COUNT));
}

bool inlined_body_is_entry_alloca(const struct check *c, const struct check_clone *k, uint32_t inst)
{
  return is_static_entry_alloca(&c->bodies[k->entries[inst].of], callee_instruction_copied_by_or_none(c, k, inst));
}

static uint32_t skip_entry_allocas(const struct check_body *body, uint32_t original)
{
  while (is_static_entry_alloca(body, original))
    original++;
  return original;
}

bool inlined_body_is_empty(const struct check_body *body)
{
  return body->fn->opcode[skip_entry_allocas(body, 0)] == LLVMRet;
}

static bool has_body_returned(const struct check_body *body, const struct check_state *state)
{
  return !state->branches && !body->from->tail &&
         body->fn->opcode[skip_entry_allocas(body, state->body_inst)] == LLVMRet;
}

bool inlined_body_is_entered_and_not_returned(const struct check *c, const struct check_state *state)
{
  return state->body != IR_NONE && !has_body_returned(&c->bodies[state->body], state);
}

static bool is_address_cast_or_gep(const struct check_walk *w, uint32_t inst)
{
  switch (w->k->fn.opcode[inst]) {
  case LLVMGetElementPtr:
  case LLVMAddrSpaceCast:
  case LLVMBitCast: return true;
  default: return false;
  }
}

bool inlined_body_leave_if_returned_or_refute(struct check_walk *w, uint32_t inst)
{
  if (w->state.body == IR_NONE)
    return true;
  struct check_body *body = &w->c->bodies[w->state.body];
  if (!has_body_returned(body, &w->state))
    return is_address_cast_or_gep(w, inst) ||
           check_refute(w->c, w->k, w->k->fn.insts[inst], "it interrupts the inlined body of '%s'", callee_name(body));
  body->returned[body->fn->inst_block[skip_entry_allocas(body, w->state.body_inst)]] = w->block;
  w->state.body = IR_NONE;
  w->state.body_inst = 0;
  return true;
}

bool inlined_body_enter_once(struct check_walk *w, uint32_t inst, uint32_t number,
                             const struct check_argument *arguments)
{
  struct check_body *body = &w->c->bodies[number];
  if (body->first != IR_NONE)
    return check_refute(w->c, w->k, w->k->fn.insts[inst], "the inlined body of '%s' is entered twice",
                        callee_name(body));
  body->arguments = arguments;
  body->first = inst;
  w->state.body = number;
  w->state.body_inst = 0;
  w->state.branches = false;
  return true;
}

/* ---- Instructions ---- */

/* The tail call kind of a copy: that of the callee, as far as the clone returns where the callee does. */
static LLVMTailCallKind expected_tail_call_kind(const struct check_body *body, LLVMValueRef source, LLVMValueRef copy)
{
  LLVMTailCallKind kind = LLVMGetTailCallKind(source);
  if (kind == LLVMTailCallKindMustTail && body->from->tail)
    return tailcall_strongest_kind(copy);
  return kind == LLVMTailCallKindNoTail || body->from->tail ? kind : LLVMTailCallKindNone;
}

static void drop_alias_scopes(LLVMContextRef context, LLVMValueRef inst)
{
  static const char *const kinds[] = {"noalias", "alias.scope"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    LLVMSetMetadata(inst, LLVMGetMDKindIDInContext(context, kinds[i], (unsigned)strlen(kinds[i])), NULL);
}

/* Alias scopes hold within one call of the callee only. */
static bool is_copy_of_callee_instruction(const struct check_walk *w, const struct check_body *body,
                                          LLVMValueRef source, LLVMValueRef copy)
{
  bool call = LLVMIsACallInst(source);
  if (!call && !LLVMHasMetadata(source))
    return is_copy_but_for_operands_and_loop_metadata(source, copy);
  LLVMValueRef expected = LLVMInstructionClone(source);
  if (call && LLVMIsACallInst(copy))
    LLVMSetTailCallKind(expected, expected_tail_call_kind(body, source, copy));
  if (LLVMHasMetadata(source))
    drop_alias_scopes(w->c->low->context, expected);
  bool same = is_copy_but_for_operands_and_loop_metadata(expected, copy);
  LLVMDeleteInstruction(expected);
  return same;
}

/* The value before the ABI has cast it to the type of a parameter. */
static LLVMValueRef strip_added_or_constant_cast(const struct check_clone *k, LLVMValueRef carrier)
{
  uint32_t inst = ir_inst(&k->fn, carrier);
  bool added = inst != IR_NONE && k->entries[inst].kind == WITNESS_NONE;
  LLVMOpcode opcode = added                          ? (LLVMOpcode)k->fn.opcode[inst]
                      : LLVMIsAConstantExpr(carrier) ? LLVMGetConstOpcode(carrier)
                                                     : LLVMRet;
  bool cast = opcode == LLVMBitCast || opcode == LLVMPtrToInt || opcode == LLVMIntToPtr;
  return cast ? LLVMGetOperand(carrier, ADDRESS_BASE) : carrier;
}

/* A constant operand, cast to the type of a parameter. */
static LLVMValueRef cast_constant(LLVMValueRef constant, LLVMTypeRef type)
{
  if (LLVMGetTypeKind(LLVMTypeOf(constant)) == LLVMPointerTypeKind)
    return LLVMConstPtrToInt(constant, type);
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMConstIntToPtr(constant, type)
                                                      : LLVMConstBitCast(constant, type);
}

static bool is_address_of_constant_text(LLVMValueRef carrier, const char *text)
{
  size_t length = 0;
  LLVMValueRef global = LLVMIsAGlobalVariable(edit_strip_casts_and_zero_geps(carrier));
  LLVMValueRef content = global && LLVMIsGlobalConstant(global) ? LLVMGetInitializer(global) : NULL;
  const char *own = content && LLVMIsConstantString(content) ? LLVMGetAsString(content, &length) : NULL;
  return own && length == strlen(text) + 1 && !memcmp(own, text, length);
}

bool inlined_body_match_argument(struct check *c, struct check_clone *k, uint32_t inst, LLVMValueRef carrier,
                                 const struct check_argument *argument)
{
  uint64_t offset = 0;
  switch (argument->kind) {
  case ARGUMENT_VALUE: return carrier == argument->value;
  case ARGUMENT_FRAME: return check_is_frame_address(k, carrier, &offset) && offset == argument->offset;
  case ARGUMENT_TEXT: return is_address_of_constant_text(carrier, argument->text);
  case ARGUMENT_OPERAND: break;
  }
  LLVMValueRef source = LLVMGetOperand(c->low->fn.insts[argument->inst], argument->operand);
  LLVMTypeRef type = LLVMTypeOf(source);
  if (ir_operand(&c->low->fn, argument->inst, argument->operand) == IR_NONE)
    return carrier == (LLVMTypeOf(carrier) == type ? source : cast_constant(source, LLVMTypeOf(carrier)));
  if (LLVMTypeOf(carrier) != type)
    carrier = strip_added_or_constant_cast(k, carrier);
  return LLVMTypeOf(carrier) == type && claim_presplit_operand(c, k, inst, carrier, argument->inst, argument->operand);
}

static LLVMValueRef copy_in_clone_or_null(const struct check_clone *k, const struct check_body *body, uint32_t original)
{
  return body->copies[original] == IR_NONE ? NULL : k->fn.insts[body->copies[original]];
}

/* Whether `carrier` is what the callee's operand `index` of an instruction is. */
static bool is_copy_of_callee_operand(struct check_walk *w, const struct check_body *body, uint32_t inst,
                                      LLVMValueRef carrier, uint32_t original, uint32_t index)
{
  uint32_t operand = ir_operand(body->fn, original, index);
  if (operand == IR_NONE)
    return carrier == LLVMGetOperand(body->fn->insts[original], index);
  if (operand & IR_BLOCK)
    return true; /* the walk follows the edges */
  uint32_t made = ir_inst_of_value(body->fn, operand);
  if (made == IR_NONE)
    return inlined_body_match_argument(w->c, w->k, inst, carrier, &body->arguments[operand]);
  return carrier == copy_in_clone_or_null(w->k, body, made);
}

static bool check_copy_of_callee_instruction(struct check_walk *w, const struct check_body *body, uint32_t inst,
                                             uint32_t original)
{
  LLVMValueRef source = body->fn->insts[original], copy = w->k->fn.insts[inst];
  uint32_t count = body->fn->operand_start[original + 1] - body->fn->operand_start[original];
  if (!is_copy_of_callee_instruction(w, body, source, copy))
    return check_refute(w->c, w->k, copy, "it differs from '%s' of '%s', which it stands for",
                        value_text_for_message(w->c, source), callee_name(body));
  for (uint32_t i = 0; i < count && !LLVMIsAPHINode(copy); i++) /* see inlined_body_check_phis */
    if (!is_copy_of_callee_operand(w, body, inst, LLVMGetOperand(copy, i), original, i))
      return check_refute(w->c, w->k, copy, "operand %u is not that of '%s' of '%s'", (unsigned)i,
                          value_text_for_message(w->c, source), callee_name(body));
  return true;
}

bool inlined_body_check_copy_and_advance(struct check_walk *w, uint32_t inst, uint32_t number)
{
  struct check_body *body = &w->c->bodies[number];
  uint32_t original = callee_instruction_copied_by_or_none(w->c, w->k, inst);
  if (is_static_entry_alloca(body, original))
    return w->k->fn.blocks[w->block] == w->k->from->entry
               ? check_copy_of_callee_instruction(w, body, inst, original)
               : check_refute(w->c, w->k, w->k->fn.insts[inst], "the callee's alloca is outside of the entry block");
  if (w->state.body != number || w->state.branches || skip_entry_allocas(body, w->state.body_inst) != original)
    return check_refute(w->c, w->k, w->k->fn.insts[inst], "control is not at '%s' of '%s' here",
                        value_text_for_message(w->c, body->fn->insts[original]), callee_name(body));
  if (!check_copy_of_callee_instruction(w, body, inst, original))
    return false;
  w->state.body_inst = original;
  if (!LLVMIsATerminatorInst(body->fn->insts[original]))
    w->state.body_inst = original + 1;
  else if (LLVMGetNumSuccessors(body->fn->insts[original]))
    w->state.branches = true;
  else
    w->state.where = WHERE_LEFT;
  return true;
}

/* ---- Phis and results ---- */

/* The clone's block that ends as the callee's block does; IR_NONE: none. */
static uint32_t block_with_end_of_callee_block_or_none(const struct check_clone *k, const struct check_body *body,
                                                       uint32_t block)
{
  uint32_t end = body->copies[body->fn->block_start[block + 1] - 1];
  return end == IR_NONE ? IR_NONE : k->fn.inst_block[end];
}

static bool is_copy_of_callee_incoming_value(struct check *c, struct check_clone *k, const struct check_body *body,
                                             uint32_t inst, uint32_t incoming, uint32_t original, uint32_t index)
{
  LLVMValueRef phi = k->fn.insts[inst], carrier = LLVMGetIncomingValue(phi, incoming);
  uint32_t count = ir_phi_count(body->fn, original), value = ir_operand(body->fn, original, index);
  uint32_t from = ir_operand(&k->fn, inst, ir_phi_count(&k->fn, inst) + incoming);
  if (from == IR_NONE || (from & ~IR_BLOCK) != block_with_end_of_callee_block_or_none(
                                                   k, body, ir_operand(body->fn, original, count + index) & ~IR_BLOCK))
    return false;
  if (value == IR_NONE)
    return carrier == LLVMGetIncomingValue(body->fn->insts[original], index);
  uint32_t made = ir_inst_of_value(body->fn, value);
  if (made != IR_NONE)
    return carrier == copy_in_clone_or_null(k, body, made);
  const struct check_argument *argument = &body->arguments[value];
  uint32_t end = k->fn.block_start[(from & ~IR_BLOCK) + 1] - 1;
  return inlined_body_match_argument(c, k, end, carrier, argument);
}

static bool check_copied_phi(struct check *c, struct check_clone *k, const struct check_body *body, uint32_t inst,
                             uint32_t original)
{
  uint32_t count = ir_phi_count(body->fn, original), incoming = 0;
  bool same = true;
  for (uint32_t i = 0; i < count && same; i++)
    if (ir_operand(body->fn, original, count + i) != IR_NONE)
      same = incoming < ir_phi_count(&k->fn, inst) &&
             is_copy_of_callee_incoming_value(c, k, body, inst, incoming++, original, i);
  return (same && incoming == ir_phi_count(&k->fn, inst)) ||
         check_refute(c, k, k->fn.insts[inst], "its incoming values are not those of '%s' of '%s'",
                      value_text_for_message(c, body->fn->insts[original]), callee_name(body));
}

bool inlined_body_check_phis(struct check *c, struct check_clone *k)
{
  for (uint32_t i = 0; c->witness->bodies.count && i < k->fn.inst_count; i++)
    if (k->fn.opcode[i] == LLVMPHI && k->entries[i].kind == WITNESS_INLINED &&
        k->in[k->fn.inst_block[i]].where != WHERE_LEFT &&
        !check_copied_phi(c, k, &c->bodies[k->entries[i].of], i, callee_instruction_copied_by_or_none(c, k, i)))
      return false;
  return true;
}

/* The clone's value that the callee returns at `original`; NULL: none, or an argument whose value is not known. */
static LLVMValueRef value_returned_at_or_null(const struct check_clone *k, const struct check_body *body,
                                              uint32_t original)
{
  LLVMValueRef ret = body->fn->insts[original];
  uint32_t value = LLVMGetNumOperands(ret) ? ir_operand(body->fn, original, RET_VALUE) : IR_NONE;
  if (value == IR_NONE)
    return LLVMGetNumOperands(ret) ? LLVMGetOperand(ret, RET_VALUE) : NULL;
  uint32_t made = ir_inst_of_value(body->fn, value);
  return made == IR_NONE ? body->arguments[value].value : copy_in_clone_or_null(k, body, made);
}

LLVMValueRef inlined_body_only_returned_value_or_null(const struct check_clone *k, const struct check_body *body,
                                                      uint32_t *returns)
{
  LLVMValueRef only = NULL;
  *returns = 0;
  for (uint32_t i = 0; i < body->fn->inst_count; i++)
    if (body->fn->opcode[i] == LLVMRet) {
      only = value_returned_at_or_null(k, body, i);
      ++*returns;
    }
  return *returns == 1 ? only : NULL;
}

bool inlined_body_is_merged_result(const struct check_clone *k, const struct check_body *body, LLVMValueRef phi)
{
  uint32_t inst = ir_inst(&k->fn, phi), count = inst != IR_NONE && LLVMIsAPHINode(phi) ? ir_phi_count(&k->fn, inst) : 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t from = ir_operand(&k->fn, inst, count + i);
    bool found = from == IR_NONE;
    for (uint32_t b = 0; b < body->fn->block_count && !found; b++)
      found = body->returned[b] == (from & ~IR_BLOCK) &&
              value_returned_at_or_null(k, body, body->fn->block_start[b + 1] - 1) == LLVMGetIncomingValue(phi, i);
    if (!found)
      return false;
  }
  return count > 0;
}

bool inlined_body_is_result(const struct check *c, const struct check_clone *k, uint32_t number, LLVMValueRef value)
{
  const struct check_body *body = number == IR_NONE ? NULL : &c->bodies[number];
  uint32_t inst = ir_inst(&k->fn, value), returns = 0;
  if (!body)
    return false;
  if (body->first == IR_NONE && !inlined_body_is_empty(body))
    return inst != IR_NONE && k->entries[inst].kind == WITNESS_CALLED && k->entries[inst].of == number;
  LLVMValueRef only = inlined_body_only_returned_value_or_null(k, body, &returns);
  return returns == 1 ? value == only : inlined_body_is_merged_result(k, body, value);
}
