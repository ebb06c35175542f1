/* Proves claims by a backward walk; see claims.h.
   Requires: simulated clones. */
#include "check/claims.h"

#include "check/claim_rules.h"
#include "check/frame_access.h"
#include "check/suspended.h"
#include "check/verdict.h"
#include "ir/operand.h"

/* ---- The walk back ---- */

/* Moves the claim to the ends of the block's predecessors. The frame is only read where the clone has not suspended,
   so that a claim about it holds where the clone has. */
static bool move_claim_before_block_or_refute(struct check *c, uint32_t claim)
{
  struct check_claim at = c->claims.items[claim];
  struct check_clone *k = c->clones[at.clone];
  if (k->landing[at.block] != IR_NONE) {
    if (at.fact.carrier)
      return carrier_prove_before_landing(c, claim, k->landing[at.block]);
    claims_move_through_suspend(c, claim, &at.fact, k->landing[at.block]);
    return true;
  }
  if (at.block == k->rpo.order[0])
    return claims_refute(
        c, claim, at.fact.carrier ? "it is not computed on this path" : "nothing stored it in the frame on this path");
  for (uint32_t p = k->graph.pred_start[at.block]; p < k->graph.pred_start[at.block + 1]; p++) {
    uint32_t from = k->graph.pred[p];
    if (k->out[from].where != WHERE_LEFT && (at.fact.carrier || !suspended_is_always_after(k, from)) &&
        claims_visit_place_first_time(c, k, &at.fact, from))
      claims_add_premise_at_block_end(c, claim, from, &at.fact);
  }
  return true;
}

/* Whether the presplit value is computed in the block before the place; the last such event. */
static bool is_value_computed_before(const struct check *c, const struct check_claim *at, struct check_event *event)
{
  uint32_t inst = ir_inst_of_value(&c->low->fn, at->fact.value);
  return check_find_last_event_up_to(c->clones[at->clone], inst, at->block, at->at, event);
}

static bool prove_claim_on_value(struct check *c, uint32_t claim)
{
  struct check_claim at = c->claims.items[claim];
  const struct check_clone *k = c->clones[at.clone];
  uint32_t inst = ir_inst(&k->fn, at.fact.carrier);
  struct check_event event = {0};
  bool computed = is_value_computed_before(c, &at, &event);
  if (inst != IR_NONE && k->fn.inst_block[inst] == at.block && 2 * check_position(k, inst) + 1 < at.at) {
    uint32_t defined = 2 * check_position(k, inst) + 1;
    if (computed && event.at > defined)
      return carrier_prove_at_event(c, claim);
    return carrier_prove_at_definition(c, claim, inst);
  }
  return computed ? carrier_prove_at_event(c, claim) : move_claim_before_block_or_refute(c, claim);
}

static bool prove_claim_on_frame_bytes(struct check *c, uint32_t claim)
{
  struct check_claim at = c->claims.items[claim];
  const struct check_clone *k = c->clones[at.clone];
  const struct check_slot *slot = &c->slots.items[at.fact.slot];
  const struct check_store *store = frame_access_last_store_or_null(c, k, at.block, at.at, slot->offset, slot->size);
  struct check_event event = {0};
  bool computed = is_value_computed_before(c, &at, &event);
  uint32_t stored = store ? 2 * check_position(k, store->inst) + 1 : 0;
  if (frame_access_may_be_aliased(c, slot->offset, slot->size))
    (void)coro_vec_push(c->arena, &c->spans,
                        ((struct check_span){at.clone, at.block, store ? stored + 1 : 0, at.at, at.fact.value,
                                             slot->offset, slot->size}));
  if (computed && (!store || event.at > stored))
    return claims_refute(c, claim, "it is not stored in the frame after it was computed");
  if (!store)
    return move_claim_before_block_or_refute(c, claim);
  bool spill = k->entries[store->inst].kind != WITNESS_COPY && k->fn.opcode[store->inst] == LLVMStore;
  LLVMValueRef value = spill ? LLVMGetOperand(k->fn.insts[store->inst], STORE_VALUE) : NULL;
  if (!spill || store->offset != slot->offset || LLVMTypeOf(value) != slot->type)
    return claims_refute(c, claim,
                         coro_arena_printf(c->arena, "'%s' overwrites the bytes of the frame that hold it",
                                           value_text_for_message(c, k->fn.insts[store->inst])));
  claims_add_premise(c, claim, at.block, stored - 1, &(struct check_fact){value, 0, at.fact.value});
  return true;
}

bool claims_decide_all(struct check *c)
{
  for (; c->claims_done < c->claims.count && c->verdict != CHECK_REFUTED; c->claims_done++) {
    uint32_t claim = c->claims_done;
    bool holds = c->claims.items[claim].fact.carrier
                     ? carrier_prove_equal_everywhere(c, claim) || prove_claim_on_value(c, claim)
                     : prove_claim_on_frame_bytes(c, claim);
    if (!holds && c->verdict == CHECK_UNANSWERED)
      check_unsupported(c, "a claim without a rule");
    if (coro_arena_failed(c->arena))
      return false;
  }
  return true;
}
