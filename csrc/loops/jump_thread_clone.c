/* Transforms a function for jump threading: makes one copy of a block for each state at its entry. A block with one
   state is changed in place; one with several is copied for each and erased. Each use gets the copy that reaches it, or
   a phi of several (SSA construction).
   Requires: the result of jump_thread.c.
   Guarantees: a function that verifies. */
#include "ir/clone.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"
#include "llvm_metadata.h"
#include "loops/jump_thread_internal.h"

struct phi_to_fill { /* a phi to fill */
  LLVMValueRef phi;
  uint32_t variant, value; /* its value is `value` at the start of `variant` */
  LLVMValueRef original; /* copies this phi's choice; NULL: merges the value over all edges */
  bool replaces; /* the merged value also replaces `original` */
};

struct block_cloner {
  struct jump_threading *s;
  CORO_VEC(struct phi_to_fill) choices;
};

/* ---- Blocks ---- */

/* Variants are placed next to the original. */
static bool clone_block_of_variant(struct jump_threading *s, uint32_t variant)
{
  const struct ir_fn *fn = &s->fn;
  uint32_t node = s->variants.node[variant], first = fn->block_start[node], count = fn->block_start[node + 1] - first;
  s->blocks[variant] = LLVMInsertBasicBlockInContext(s->run->context, fn->blocks[node], "");
  s->copies[variant] = CORO_NEW_ARRAY(s->run->arena, LLVMValueRef, count + 1);
  LLVMPositionBuilderAtEnd(s->builder, s->blocks[variant]);
  for (uint32_t i = 0; i < count && s->copies[variant]; i++) {
    LLVMValueRef from = fn->insts[first + i];
    bool is_phi = fn->opcode[first + i] == LLVMPHI;
    LLVMSetCurrentDebugLocation2(s->builder, NULL);
    LLVMValueRef copy =
        is_phi ? LLVMBuildPhi(s->builder, LLVMTypeOf(from), "") : clone_instruction(s->builder, from, NULL);
    clone_drop_alias_scopes(copy);
    LLVMInstructionSetDebugLoc(copy, LLVMInstructionGetDebugLoc(from));
    s->copies[variant][i] = copy;
  }
  return s->copies[variant];
}

static bool clone_blocks_of_variants(struct jump_threading *s)
{
  uint32_t count = s->variants.count;
  s->blocks = CORO_NEW_ARRAY(s->run->arena, LLVMBasicBlockRef, count);
  s->copies = CORO_NEW_ARRAY(s->run->arena, LLVMValueRef *, count);
  if (!s->blocks || !s->copies)
    return false;
  for (uint32_t v = 0; v < count; v++) {
    uint32_t node = s->variants.node[v];
    s->copies[v] = s->fn.insts + s->fn.block_start[node];
    s->blocks[v] = s->fn.blocks[node];
    if (jump_thread_has_clones(s, node) && !clone_block_of_variant(s, v))
      return false;
  }
  return true;
}

/* ---- Values ---- */

/* The value at the start, or at the end, of a variant. NULL: out of memory. */
static LLVMValueRef find_or_create_value_in_variant(struct block_cloner *m, uint32_t value, uint32_t variant,
                                                    bool at_end)
{
  struct jump_threading *s = m->s;
  LLVMValueRef found = jump_thread_find_available_value(s, value, &variant, at_end);
  if (found)
    return found;
  LLVMValueRef first = LLVMGetFirstInstruction(s->blocks[variant]);
  LLVMPositionBuilderBeforeInstrAndDbgRecords(s->builder, first);
  LLVMSetCurrentDebugLocation2(s->builder, NULL);
  found = LLVMBuildPhi(s->builder, LLVMTypeOf(ir_value(&s->fn, value)), "");
  bool fine = coro_map_put(&s->start_values, coro_map_pair(value, variant), (uint64_t)(uintptr_t)found) &&
              coro_vec_push(s->run->arena, &m->choices,
                            ((struct phi_to_fill){.phi = found, .variant = variant, .value = value}));
  return fine ? found : NULL;
}

/* Replaces operands by the clones available there; not for phis. */
static bool set_operands_of_variant(struct block_cloner *m, uint32_t inst, uint32_t variant)
{
  const struct ir_fn *fn = &m->s->fn;
  uint32_t block = ir_block_of(fn, inst);
  LLVMValueRef at = m->s->copies[variant][inst - fn->block_start[block]];
  for (uint32_t i = 0; i < fn->operand_start[inst + 1] - fn->operand_start[inst]; i++) {
    uint32_t by = ir_operand_inst(fn, inst, i);
    if (by == IR_NONE || !jump_thread_has_clones(m->s, ir_block_of(fn, by)))
      continue;
    LLVMValueRef value =
        find_or_create_value_in_variant(m, ir_value_of_inst(fn, by), variant, ir_block_of(fn, by) == block);
    if (!value)
      return false;
    LLVMSetOperand(at, i, value);
  }
  return true;
}

static void set_successors_of_variant(struct jump_threading *s, uint32_t variant)
{
  const struct graph_variants *v = &s->variants;
  uint32_t node = v->node[variant], first = v->succ_start[variant];
  LLVMValueRef *end = &s->copies[variant][s->fn.block_start[node + 1] - s->fn.block_start[node] - 1];
  if (v->known_edge[variant] == GRAPH_NONE) {
    for (uint32_t i = first; i < v->succ_start[variant + 1]; i++)
      LLVMSetSuccessor(*end, i - first, s->blocks[v->succ[i]]);
    return;
  }
  edit_position_builder_with_location(s->builder, *end);
  LLVMValueRef only =
      LLVMBuildBr(s->builder, s->blocks[v->succ[first + v->known_edge[variant] - s->g.succ_start[node]]]);
  LLVMSetMetadata(only, METADATA_LOOP, LLVMGetMetadata(*end, METADATA_LOOP));
  LLVMInstructionEraseFromParent(*end);
  *end = only;
}

/* ---- Phis ---- */

/* Replaces a remaining phi, since its incoming edges may have changed. */
static bool recreate_phi_of_variant(struct block_cloner *m, uint32_t inst, uint32_t variant)
{
  struct jump_threading *s = m->s;
  uint32_t node = s->variants.node[variant];
  struct phi_to_fill choice = {
      .variant = variant, .value = ir_value_of_inst(&s->fn, inst), .original = s->fn.insts[inst]};
  choice.replaces = !jump_thread_has_clones(s, node);
  choice.phi = s->copies[variant][inst - s->fn.block_start[node]];
  if (choice.replaces) {
    LLVMPositionBuilderBefore(s->builder, choice.original);
    LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(choice.original));
    choice.phi = LLVMBuildPhi(s->builder, LLVMTypeOf(choice.original), "");
  }
  return coro_vec_push(s->run->arena, &m->choices, choice);
}

/* The phi's value on the edge from that variant. NULL: out of memory. */
static LLVMValueRef incoming_value_of_recreated_phi(struct block_cloner *m, const struct phi_to_fill *choice,
                                                    uint32_t from)
{
  const struct ir_fn *fn = &m->s->fn;
  if (!choice->original)
    return find_or_create_value_in_variant(m, choice->value, from, true);
  uint32_t inst = ir_inst_of_value(fn, choice->value),
           entry = jump_thread_incoming_index(m->s, inst, m->s->variants.node[from]);
  uint32_t by = ir_operand_inst(fn, inst, entry);
  return by == IR_NONE ? LLVMGetIncomingValue(choice->original, entry)
                       : find_or_create_value_in_variant(m, ir_value_of_inst(fn, by), from, true);
}

/* Fills the phis; this may create further ones. */
static bool fill_recreated_phis(struct block_cloner *m)
{
  const struct jump_threading *s = m->s;
  for (uint32_t c = 0; c < m->choices.count; c++) {
    struct phi_to_fill choice = m->choices.items[c];
    for (uint32_t p = s->variant_graph.pred_start[choice.variant]; p < s->variant_graph.pred_start[choice.variant + 1];
         p++) {
      LLVMValueRef value = incoming_value_of_recreated_phi(m, &choice, s->variant_graph.pred[p]);
      if (!value)
        return false;
      LLVMAddIncoming(choice.phi, &value, &s->blocks[s->variant_graph.pred[p]], 1);
    }
  }
  return true;
}

/* The only value of the phi; NULL: it has several. */
static LLVMValueRef only_incoming_value_or_null(LLVMValueRef phi)
{
  LLVMValueRef only = NULL;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef value = LLVMGetIncomingValue(phi, i);
    if (value != phi && only && value != only)
      return NULL;
    only = value != phi ? value : only;
  }
  return only;
}

/* Erases replaced phis, and phis with a single value. */
static void remove_redundant_phis(struct block_cloner *m)
{
  for (uint32_t c = 0; c < m->choices.count; c++)
    if (m->choices.items[c].replaces) {
      edit_move_value_name(m->s->run->arena, m->choices.items[c].phi, m->choices.items[c].original);
      edit_replace_and_erase(m->choices.items[c].original, m->choices.items[c].phi);
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t c = 0; c < m->choices.count; c++) {
      struct phi_to_fill *choice = &m->choices.items[c];
      LLVMValueRef only = choice->phi && !choice->original ? only_incoming_value_or_null(choice->phi) : NULL;
      if (!only)
        continue;
      edit_replace_and_erase(choice->phi, only);
      choice->phi = NULL;
      changed = true;
    }
  }
}

/* Erases cloned and unreachable blocks. */
static void delete_cloned_and_unreachable_blocks(const struct jump_threading *s)
{
  for (uint32_t b = 0; b < s->fn.block_count; b++)
    if (s->variants.of_node[b] != 1)
      edit_make_block_unreachable_and_unused(s->fn.blocks[b]);
  for (uint32_t b = 0; b < s->fn.block_count; b++)
    if (s->variants.of_node[b] != 1)
      LLVMDeleteBasicBlock(s->fn.blocks[b]);
}

static bool connect_cloned_blocks(struct block_cloner *m)
{
  struct jump_threading *s = m->s;
  const struct ir_fn *fn = &s->fn;
  bool fine = true;
  for (uint32_t v = 0; v < s->variants.count && fine; v++)
    for (uint32_t i = fn->block_start[s->variants.node[v]]; i < fn->block_start[s->variants.node[v] + 1] && fine; i++)
      fine = fn->opcode[i] == LLVMPHI ? recreate_phi_of_variant(m, i, v) : set_operands_of_variant(m, i, v);
  for (uint32_t v = 0; v < s->variants.count; v++)
    set_successors_of_variant(s, v);
  return fine && fill_recreated_phis(m);
}

bool jump_thread_clone_blocks(struct jump_threading *s)
{
  struct block_cloner m = {.s = s};
  coro_map_init(&s->start_values, s->run->arena);
  if (!clone_blocks_of_variants(s) || !connect_cloned_blocks(&m))
    return false;
  jump_thread_copy_debug_records(s);
  remove_redundant_phis(&m);
  delete_cloned_and_unreachable_blocks(s);
  return true;
}
