/* Code of the ABI in a clone.
   Requires: a walk in progress. */
#include "check/glue.h"

#include "check/claim_list.h"
#include "check/header.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"

static LLVMValueRef at(const struct check_walk *w, uint32_t inst)
{
  return w->k->fn.insts[inst];
}

/* ---- Memory ---- */

static bool glue_load(struct check_walk *w, uint32_t inst)
{
  uint64_t offset;
  if (!edit_is_plain_load(at(w, inst)))
    return check_refute(w->c, w->k, at(w, inst), "a volatile or atomic load that no presplit instruction has");
  if (check_frame_address(w->k, LLVMGetOperand(at(w, inst), LOAD_ADDRESS), &offset))
    (void)coro_vec_push(w->c->arena, &w->k->accesses, ((struct check_access){inst, w->header.gone}));
  return true;
}

static bool is_own_alloca(const struct check_walk *w, LLVMValueRef address)
{
  uint32_t inst = ir_inst(&w->k->fn, address);
  return inst != IR_NONE && w->k->fn.opcode[inst] == LLVMAlloca && w->k->entries[inst].kind == WITNESS_NONE;
}

static bool glue_store(struct check_walk *w, uint32_t inst)
{
  LLVMValueRef address = LLVMGetOperand(at(w, inst), STORE_ADDRESS);
  uint64_t offset;
  if (w->state.where == WHERE_DISPATCH)
    return check_refute(w->c, w->k, at(w, inst), "a store before the landing");
  struct witness_entry entry = w->k->entries[inst];
  uint32_t spilled = entry.kind == WITNESS_SPILL ? ir_inst_of_value(&w->c->low->fn, entry.of) : IR_NONE;
  if (spilled != IR_NONE)
    step_past(w, spilled);
  if (check_frame_address(w->k, address, &offset))
    return header_store(w, inst, offset);
  return is_own_alloca(w, address) || check_refute(w->c, w->k, at(w, inst), "a store that no presplit instruction has");
}

/* ---- Calls ---- */

/* llvm.coro.await.suspend.*: a call of the wrapper with the awaiter and the handle. */
static bool lowered_await(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  const struct ir_fn *fn = &w->c->low->fn;
  LLVMValueRef call = at(w, inst), source = fn->insts[presplit];
  if (LLVMGetNumArgOperands(call) != 2)
    return check_refute(w->c, w->k, call, "the wrapper has two arguments");
  for (unsigned i = 0; i < 3; i++) {
    uint32_t operand = ir_operand(fn, presplit, i);
    LLVMValueRef carrier = i == AWAIT_FUNCTION ? LLVMGetCalledValue(call) : LLVMGetOperand(call, i);
    if (operand == IR_NONE && carrier != LLVMGetOperand(source, i))
      return check_refute(w->c, w->k, call, "argument %u is not that of the await", i);
    if (operand != IR_NONE)
      claim_operand(w->c, w->k, inst, carrier, operand);
  }
  step_execute(w, presplit, true);
  w->state.inst = presplit + 1;
  return true;
}

static bool glue_call(struct check_walk *w, uint32_t inst)
{
  struct witness_entry entry = w->k->entries[inst];
  LLVMValueRef callee = LLVMGetCalledValue(at(w, inst));
  if (entry.kind == WITNESS_LOWERED && step_to(w, entry.of))
    switch (w->c->low->shape.intrin[entry.of]) {
    case INTRIN_AWAIT_VOID:
    case INTRIN_AWAIT_BOOL: return lowered_await(w, inst, entry.of);
    default:
      return check_unsupported(w->c, "the code for '%s'", intrin_name((enum intrin)w->c->low->shape.intrin[entry.of]));
    }
  return check_unsupported(w->c, "a call of @%s by the lowering", LLVMGetValueName2(callee, &(size_t){0}));
}

/* ---- Terminators ---- */

bool glue_return(struct check_walk *w, uint32_t inst)
{
  uint32_t next = step_over(w);
  const struct ir_fn *fn = &w->c->low->fn;
  bool ended = w->state.where == WHERE_ENDED;
  w->state.where = WHERE_LEFT;
  if (ended)
    return true;
  if (next == IR_NONE)
    return check_refute(w->c, w->k, at(w, inst), "the clone returns before its landing");
  if (w->k->from->part != CLONE_RAMP && w->c->low->shape.intrin[next] == INTRIN_END && !coro_is_unwind_end(fn, next))
    return true;
  if (w->k->from->part & (CLONE_DESTROY | CLONE_CLEANUP) && fn->opcode[next] == LLVMResume)
    return coro_vec_push(w->c->arena, &w->k->returns, inst);
  return check_refute(w->c, w->k, at(w, inst), "the clone returns, but '%s' must be executed first",
                      check_presplit_name(w->c, ir_value_of_inst(fn, next)));
}

/* An llvm.coro.end in a pad ends the clone. */
static bool glue_cleanup_return(struct check_walk *w, uint32_t inst)
{
  const struct ir_fn *fn = &w->c->low->fn;
  uint32_t next = step_over(w);
  LLVMValueRef end = next == IR_NONE ? NULL : fn->insts[next];
  if (!end || w->c->low->shape.intrin[next] != INTRIN_END || w->k->from->part == CLONE_RAMP ||
      LLVMGetNumOperandBundles(end) != 1)
    return check_unsupported(w->c, "an exit of a pad by the lowering");
  uint32_t pad = ir_operand(fn, next, LLVMGetNumArgOperands(end));
  if (LLVMGetNumSuccessors(at(w, inst)) || pad == IR_NONE)
    return check_unsupported(w->c, "an exit of a pad by the lowering");
  claim_operand(w->c, w->k, inst, LLVMGetOperand(at(w, inst), LEFT_PAD), pad);
  step_end_by_exception(w, next);
  w->state.where = WHERE_LEFT;
  return true;
}

static bool glue_terminator(struct check_walk *w, uint32_t inst)
{
  LLVMValueRef terminator = at(w, inst);
  if (flow_is_jump(terminator) || (w->state.where == WHERE_DISPATCH && flow_is_branch(terminator)))
    return true;
  if (w->k->fn.opcode[inst] == LLVMRet)
    return glue_return(w, inst);
  if (w->k->fn.opcode[inst] == LLVMUnreachable && w->state.where == WHERE_DISPATCH) {
    w->state.where = WHERE_LEFT;
    return true;
  }
  if (w->k->fn.opcode[inst] == LLVMCleanupRet)
    return glue_cleanup_return(w, inst);
  if (w->k->fn.opcode[inst] == LLVMInvoke)
    return check_unsupported(w->c, "an invoke by the lowering");
  return w->k->fn.opcode[inst] == LLVMUnreachable
             ? check_refute(w->c, w->k, terminator, "control may reach it")
             : check_unsupported(w->c, "'%s' by the lowering", check_name(w->c, terminator));
}

/* The last of the instructions that compute the result of an intrinsic. */
static bool glue_result(struct check_walk *w, uint32_t inst)
{
  uint32_t presplit = w->k->entries[inst].of;
  unsigned char intrin = w->c->low->shape.intrin[presplit];
  if (intrin != INTRIN_FREE && intrin != INTRIN_PROMISE)
    return true;
  if (!step_to(w, presplit))
    return false;
  step_execute(w, presplit, true);
  w->header.gone |= intrin == INTRIN_FREE;
  w->state.inst = presplit + 1;
  return true;
}

bool glue_instruction(struct check_walk *w, uint32_t inst)
{
  if (LLVMIsATerminatorInst(at(w, inst)))
    return glue_terminator(w, inst);
  if (w->k->entries[inst].kind == WITNESS_LOWERED && w->k->fn.opcode[inst] != LLVMCall)
    return glue_result(w, inst);
  switch (w->k->fn.opcode[inst]) {
  case LLVMLoad: return glue_load(w, inst);
  case LLVMStore: return glue_store(w, inst);
  case LLVMCall: return glue_call(w, inst);
  case LLVMFence:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
  case LLVMVAArg:
  case LLVMCatchPad:
  case LLVMCleanupPad:
  case LLVMLandingPad: return check_refute(w->c, w->k, at(w, inst), "no presplit instruction has this effect");
  default: return true;
  }
}

/* ---- Copied intrinsics ---- */

bool glue_is_own_intrinsic(const struct check *c, uint32_t presplit)
{
  unsigned char intrin = c->low->shape.intrin[presplit];
  return intrin == INTRIN_ID || intrin == INTRIN_BEGIN;
}

/* llvm.coro.id of the ramp: it refers to the clones instead of the promise. */
static bool copied_id(struct check_walk *w, uint32_t inst)
{
  const struct coro_lowering *low = w->c->low;
  LLVMValueRef id = at(w, inst), array = edit_strip_casts(LLVMGetOperand(id, ID_PARTS));
  LLVMValueRef clones = LLVMIsAGlobalVariable(array) ? LLVMGetInitializer(array) : NULL;
  bool found = clones && LLVMIsNull(LLVMGetOperand(id, ID_PROMISE)) && low->clone_count >= 3;
  for (unsigned i = 0; i < 3 && found; i++)
    found = LLVMGetAggregateElement(clones, i) == low->clones[i];
  return found || check_refute(w->c, w->k, id, "it does not refer to the coroutine's clones");
}

bool glue_copied_intrinsic(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  const struct ir_fn *fn = &w->c->low->fn;
  LLVMValueRef call = at(w, inst);
  bool id = w->c->low->shape.intrin[presplit] == INTRIN_ID;
  if (intrin_of(w->c->low->table, call) != (id ? INTRIN_ID : INTRIN_BEGIN) || w->c->low->shape.custom)
    return check_refute(w->c, w->k, call, "it is another intrinsic than '%s'",
                        check_presplit_name(w->c, ir_value_of_inst(fn, presplit)));
  if (id)
    return copied_id(w, inst);
  for (unsigned i = 0; i <= BEGIN_MEMORY; i++) {
    uint32_t operand = ir_operand(fn, presplit, i);
    if (operand == IR_NONE && LLVMGetOperand(call, i) != LLVMGetOperand(fn->insts[presplit], i))
      return check_refute(w->c, w->k, call, "operand %u is not the presplit one", i);
    if (operand != IR_NONE)
      claim_operand(w->c, w->k, inst, LLVMGetOperand(call, i), operand);
  }
  return true;
}
