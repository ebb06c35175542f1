/* Computes the pads of blocks by a forward walk, and compares operand bundles; see funclet.h. */
#include "check/funclet.h"

#include "check/claim_list.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "transform/identical_instruction.h"

/* Values of check_clone.pads besides the numbers of pads + PAD_FIRST. */
enum { PAD_UNKNOWN, PAD_NONE, PAD_SEVERAL, PAD_FIRST };

static bool is_cleanuppad_or_catchpad(const struct check_clone *k, uint32_t inst)
{
  return k->fn.opcode[inst] == LLVMCleanupPad || k->fn.opcode[inst] == LLVMCatchPad;
}

static uint32_t pad_of_token(const struct check_clone *k, LLVMValueRef token)
{
  uint32_t inst = ir_inst(&k->fn, token);
  return inst == IR_NONE ? PAD_NONE : inst + PAD_FIRST;
}

/* The pad of a block after its phis, given that of the edge on which it is entered. */
static uint32_t pad_after_phis_of_block(const struct check_clone *k, uint32_t block, uint32_t entered)
{
  uint32_t inst = k->fn.block_start[block];
  while (k->fn.opcode[inst] == LLVMPHI)
    inst++;
  return is_cleanuppad_or_catchpad(k, inst) ? inst + PAD_FIRST : entered;
}

/* The pad in which control is on the edges out of a block. */
static uint32_t pad_after_block(const struct check_clone *k, uint32_t block)
{
  LLVMValueRef terminator = ir_terminator(&k->fn, block);
  if (LLVMIsACatchReturnInst(terminator)) {
    LLVMValueRef handlers = LLVMGetParentCatchSwitch(LLVMGetOperand(terminator, LEFT_PAD));
    return pad_of_token(k, LLVMGetOperand(handlers, LEFT_PAD));
  }
  return k->pads[block];
}

static bool is_intrinsic(LLVMValueRef callee)
{
  return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee);
}

/* Whether control is certain to continue after a call, which names no pad: of an intrinsic, or of a function that frees
   blocks on the heap. */
static bool does_call_always_continue(const struct check *c, LLVMValueRef call, struct witness_entry entry)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (entry.kind == WITNESS_COPY)
    return is_intrinsic(callee) && (c->low->shape.intrin[entry.of] != INTRIN_NONE ||
                                    (edit_call_or_callee_has_function_attribute(call, "willreturn") &&
                                     edit_call_or_callee_has_function_attribute(call, "nounwind")));
  return callee == c->drop_helper || callee == c->release_helper;
}

/* The pad that the first call of presplit code in the block names: a call that names another pad than the one that
   control is in has undefined behavior. PAD_SEVERAL: no call is certain to be executed. */
static uint32_t pad_named_by_first_call_or_several(const struct check *c, const struct check_clone *k, uint32_t block)
{
  for (uint32_t i = k->fn.block_start[block]; i < k->fn.block_start[block + 1]; i++) {
    LLVMValueRef inst = k->fn.insts[i], callee = edit_is_call(inst) ? LLVMGetCalledValue(inst) : NULL;
    bool access = LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst), copy = k->entries[i].kind == WITNESS_COPY;
    bool call = callee && copy && !LLVMIsAInlineAsm(callee) && !is_intrinsic(callee);
    if (call && !LLVMGetNumOperandBundles(inst))
      return PAD_NONE;
    if (call && LLVMGetNumOperandBundles(inst) == 1 && edit_funclet_pad(inst))
      return pad_of_token(k, edit_funclet_pad(inst));
    if (callee ? !does_call_always_continue(c, inst, k->entries[i]) : access && LLVMGetVolatile(inst))
      break;
  }
  return PAD_SEVERAL;
}

/* Blocks are visited in reverse postorder until nothing changes. A block has no pad, one, or several, so that few
   passes suffice. */
static bool find_pads(struct check *c, struct check_clone *k)
{
  k->pads = CORO_NEW_ARRAY(c->arena, uint32_t, k->fn.block_count);
  for (bool changed = k->pads != NULL; changed;) {
    changed = false;
    for (uint32_t i = 0; i < k->rpo.count; i++) {
      uint32_t block = k->rpo.order[i], pad = i ? PAD_UNKNOWN : PAD_NONE;
      for (uint32_t p = k->graph.pred_start[block]; p < k->graph.pred_start[block + 1]; p++) {
        uint32_t from = pad_after_block(k, k->graph.pred[p]);
        pad = pad == PAD_UNKNOWN || pad == from ? from : from == PAD_UNKNOWN ? pad : PAD_SEVERAL;
      }
      pad = pad_after_phis_of_block(k, block, pad);
      pad = pad == PAD_SEVERAL ? pad_named_by_first_call_or_several(c, k, block) : pad;
      changed |= pad != k->pads[block];
      k->pads[block] = pad;
    }
  }
  return k->pads != NULL;
}

bool funclet_has_pads(const struct ir_fn *fn)
{
  for (uint32_t i = 0; i < fn->inst_count; i++)
    if (fn->opcode[i] == LLVMCleanupPad || fn->opcode[i] == LLVMCatchPad)
      return true;
  return false;
}

/* ---- Bundles ---- */

static bool match_bundles_and_claim_operands(const struct check_walk *w, LLVMValueRef call, LLVMValueRef source)
{
  if (!has_equal_bundle_shapes(call, source))
    return false;
  uint32_t inst = ir_inst(&w->k->fn, call), presplit = ir_inst(&w->c->low->fn, source);
  unsigned first = LLVMGetNumArgOperands(source), end = (unsigned)LLVMGetNumOperands(source) - 1; /* the callee */
  if (LLVMIsAInvokeInst(source))
    end -= 2; /* its successors */
  for (unsigned i = first; i < end; i++)
    if (!claim_presplit_operand(w->c, w->k, inst, LLVMGetOperand(call, LLVMGetNumArgOperands(call) + i - first),
                                presplit, i))
      return false;
  return true;
}

/* Whether the only bundle is that of the pad, or there is none outside of pads. */
static bool has_bundle_of_pad(const struct check_clone *k, LLVMValueRef call, uint32_t pad)
{
  unsigned count = LLVMGetNumOperandBundles(call);
  return pad < PAD_FIRST ? !count : count == 1 && edit_funclet_pad(call) == k->fn.insts[pad - PAD_FIRST];
}

bool funclet_check_bundles_of_call(const struct check_walk *w, LLVMValueRef call, LLVMValueRef source)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  bool holds, intrinsic = is_intrinsic(callee);
  if (source)
    holds = match_bundles_and_claim_operands(w, call, source);
  else if (!w->c->has_pads || intrinsic)
    holds = !LLVMGetNumOperandBundles(call);
  else if (!w->k->pads && !find_pads(w->c, w->k))
    return false;
  else {
    uint32_t pad = w->k->pads[w->block], named = pad_named_by_first_call_or_several(w->c, w->k, w->block);
    if (pad == PAD_SEVERAL && named == PAD_SEVERAL)
      return check_unsupported(w->c, "a call by the lowering in a block of several pads");
    holds = (pad != PAD_SEVERAL && has_bundle_of_pad(w->k, call, pad)) ||
            (named != PAD_SEVERAL && has_bundle_of_pad(w->k, call, named));
  }
  return holds || check_refute(w->c, w->k, call, "it has another operand bundle than the code around it");
}
