/* The list of claims, without duplicates. */
#include "check/claim_list.h"

#include "check/exclusive_slot.h"
#include "check/memory_address.h"
#include "check/verdict.h"

enum { NO_SLOT = INT32_MAX }; /* of a claim about a value of the clone */

/* ---- Adding claims ---- */

static uint32_t number_constant_carrier(struct check_clone *k, LLVMValueRef carrier)
{
  uint64_t number = 0;
  if (!coro_map_get(&k->constants, coro_map_key(carrier), &number)) {
    number = k->constants.count;
    (void)coro_map_put(&k->constants, coro_map_key(carrier), number);
  }
  return ir_value_count(&k->fn) + (uint32_t)number;
}

/* A dense number of the carrier in its clone. */
static uint32_t number_carrier(struct check_clone *k, const struct check_fact *fact)
{
  if (!fact->carrier)
    return UINT32_C(0x80000000) | fact->slot;
  uint32_t id = ir_id(&k->fn, fact->carrier);
  return id == IR_NONE ? number_constant_carrier(k, fact->carrier) : id;
}

bool claims_visit_place_first_time(struct check *c, struct check_clone *k, const struct check_fact *fact,
                                   uint32_t place)
{
  uint64_t number = 0, key = coro_map_pair(number_carrier(k, fact), fact->value);
  if (!coro_map_get(&c->fact_numbers[k->number], key, &number)) {
    number = c->fact_numbers[k->number].count;
    (void)coro_map_put(&c->fact_numbers[k->number], key, number);
  }
  key = coro_map_pair((uint32_t)number, place);
  if (coro_map_has(&k->visited, key))
    return false;
  (void)coro_map_put(&k->visited, key, 1);
  return true;
}

/* Whether the carrier is the clone's copy of the instruction. A clone executes each instruction at one place, so that
   the copy holds the current value wherever it is available. */
static bool is_carrier_copy_of_value(const struct check *c, const struct check_clone *k, const struct check_fact *fact)
{
  uint32_t source = ir_inst_of_value(&c->low->fn, fact->value), inst;
  if (!fact->carrier || source == IR_NONE)
    return false;
  if (check_is_known_carrier(k, source, fact->carrier))
    return true;
  if (c->low->fn.opcode[source] == LLVMAlloca)
    return false;
  inst = ir_inst(&k->fn, fact->carrier);
  return inst != IR_NONE && k->entries[inst].kind == WITNESS_COPY && k->entries[inst].of == source;
}

static void add_claim_unless_carrier_is_copy(struct check *c, const struct check_claim *claim)
{
  if (!claim->fact.carrier && claim->fact.slot == NO_SLOT) {
    check_refute(c, c->clones[claim->clone], NULL, "an operand for '%s' is missing",
                 presplit_value_text_for_message(c, claim->fact.value));
    return;
  }
  if (!is_carrier_copy_of_value(c, c->clones[claim->clone], &claim->fact) &&
      !memory_address_prove_claim_anywhere(c, claim))
    (void)coro_vec_push(c->arena, &c->claims, *claim); /* the arena records the failure */
}

void claim_carrier_before_inst(struct check *c, struct check_clone *k, uint32_t inst, LLVMValueRef carrier,
                               uint32_t value)
{
  add_claim_unless_carrier_is_copy(c, &(struct check_claim){k->number,
                                                            k->fn.inst_block[inst],
                                                            2 * check_position(k, inst),
                                                            {carrier, NO_SLOT, value},
                                                            IR_NONE,
                                                            k->fn.insts[inst]});
}

bool claim_presplit_operand(struct check *c, struct check_clone *k, uint32_t inst, LLVMValueRef carrier,
                            uint32_t presplit, uint32_t index)
{
  uint32_t value = ir_operand(&c->low->fn, presplit, index);
  if (value == IR_NONE)
    return carrier == LLVMGetOperand(c->low->fn.insts[presplit], index);
  if (!(value & IR_BLOCK))
    claim_carrier_before_inst(c, k, inst, carrier, value);
  return true;
}

static uint32_t end_of_block(const struct check_clone *k, uint32_t block)
{
  return 2 * (k->fn.block_start[block + 1] - k->fn.block_start[block]);
}

void claim_carrier_at_block_end(struct check *c, struct check_clone *k, uint32_t block, LLVMValueRef carrier,
                                uint32_t value, LLVMValueRef user)
{
  add_claim_unless_carrier_is_copy(
      c, &(struct check_claim){k->number, block, end_of_block(k, block), {carrier, NO_SLOT, value}, IR_NONE, user});
}

void claims_add_premise(struct check *c, uint32_t parent, uint32_t block, uint32_t at, const struct check_fact *fact)
{
  const struct check_claim *of = &c->claims.items[parent];
  add_claim_unless_carrier_is_copy(c, &(struct check_claim){of->clone, block, at, *fact, parent, of->user});
}

void claims_add_premise_at_block_end(struct check *c, uint32_t parent, uint32_t block, const struct check_fact *fact)
{
  claims_add_premise(c, parent, block, end_of_block(c->clones[c->claims.items[parent].clone], block), fact);
}

uint32_t number_frame_slot_or_none(struct check *c, uint64_t offset, LLVMTypeRef type)
{
  uint64_t number = 0, size = 0, kind = 0, key;
  if (!coro_map_get(&c->types, coro_map_key(type), &kind)) {
    kind = c->types.count;
    (void)coro_map_put(&c->types, coro_map_key(type), kind);
  }
  key = coro_map_pair((uint32_t)kind, (uint32_t)offset);
  if (offset > UINT32_MAX || !ir_size_of(c->low->sizes, type, &size))
    return IR_NONE;
  if (!coro_map_get(&c->slot_numbers, key, &number)) {
    number = c->slots.count;
    (void)coro_map_put(&c->slot_numbers, key, number);
    (void)coro_vec_push(c->arena, &c->slots, ((struct check_slot){offset, size, type}));
  }
  return (uint32_t)number;
}

/* ---- Refutations ---- */

static const char *path_text_of_claim(struct check *c, uint32_t claim)
{
  const char *path = "";
  unsigned shown = 0;
  uint32_t clone = IR_NONE, block = IR_NONE;
  for (; claim != IR_NONE && shown < 6; claim = c->claims.items[claim].parent) {
    const struct check_claim *at = &c->claims.items[claim];
    if (at->clone == clone && at->block == block)
      continue;
    clone = at->clone;
    block = at->block;
    const char *name = LLVMGetBasicBlockName(c->clones[clone]->fn.blocks[block]);
    const char *function = LLVMGetValueName2(c->clones[clone]->fn.function, &(size_t){0});
    path = coro_arena_printf(c->arena, "%s%s@%s %%%s", path ? path : "", shown++ ? " -> " : "", function, name);
  }
  return path ? path : "";
}

bool claims_refute(struct check *c, uint32_t claim, const char *reason)
{
  const struct check_claim *of = &c->claims.items[claim];
  uint32_t first = claim;
  while (c->claims.items[first].parent != IR_NONE)
    first = c->claims.items[first].parent;
  const struct check_claim *start = &c->claims.items[first];
  return check_refute(c, c->clones[start->clone], start->user, "'%s' is expected, but %s (path %s)",
                      presplit_value_text_for_message(c, of->fact.value), reason, path_text_of_claim(c, claim));
}

/* The claim on the bytes of the frame moves to every place where a clone suspends at `suspend`. */
void claims_move_through_suspend(struct check *c, uint32_t parent, const struct check_fact *fact, uint32_t suspend)
{
  uint64_t number = coro_map_pair(fact->slot, fact->value), seen = 0;
  if (!coro_map_get(&c->exported_numbers, number, &seen)) {
    seen = c->exported_numbers.count;
    (void)coro_map_put(&c->exported_numbers, number, seen);
  }
  uint64_t key = coro_map_pair((uint32_t)seen, suspend);
  if (coro_map_has(&c->exported, key))
    return;
  (void)coro_map_put(&c->exported, key, 1);
  (void)coro_map_put(&c->exported_values, (uint64_t)fact->value + 1, 1);
  if (exclusive_slot_holds_current_value(c, fact))
    return;
  struct check_claim claim = {0, 0, 0, *fact, parent, c->claims.items[parent].user};
  for (uint32_t e = c->exits_of[suspend]; e != IR_NONE; e = c->exits.items[e].next) {
    if (c->exits.items[e].untaken)
      continue;
    claim.clone = c->exits.items[e].clone;
    claim.block = c->exits.items[e].block;
    claim.at = c->exits.items[e].at;
    add_claim_unless_carrier_is_copy(c, &claim);
  }
}
