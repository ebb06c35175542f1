/* A hash map from the instructions and blocks of clones to presplit ones. */
#include "check/witness.h"

struct check_witness *witness_create(struct coro_arena *arena, uint32_t instructions)
{
  struct check_witness *w = CORO_NEW(arena, struct check_witness);
  if (!w)
    return NULL;
  w->arena = arena;
  coro_map_init(&w->entries, arena);
  coro_map_init(&w->originals, arena);
  (void)coro_map_reserve(&w->entries, instructions); /* the arena records the failure */
  return w;
}

static uint32_t label_of_entry(enum witness_kind kind, uint32_t of)
{
  return (uint32_t)kind << WITNESS_NUMBER_BITS | (of & WITNESS_NUMBER_MASK);
}

static void set_label(struct check_witness *w, uint64_t key, uint32_t label)
{
  (void)coro_map_put(&w->entries, key, (uint64_t)label << 32); /* the arena records the failure */
}

void witness_record_counterpart(struct check_witness *w, LLVMValueRef made, enum witness_kind kind, uint32_t of)
{
  if (w && made && LLVMGetValueKind(made) == LLVMInstructionValueKind)
    set_label(w, coro_map_key(made), label_of_entry(kind, of));
}

void witness_record_result_if_no_entry(struct check_witness *w, LLVMValueRef emitted, uint32_t presplit_inst)
{
  if (w && witness_entry_of_value(w, emitted).kind == WITNESS_NONE)
    witness_record_counterpart(w, emitted, WITNESS_LOWERED, presplit_inst);
}

void witness_remove_entry(struct check_witness *w, LLVMValueRef made)
{
  if (w)
    set_label(w, coro_map_key(made), 0);
}

void witness_record_block(struct check_witness *w, LLVMBasicBlockRef block, uint32_t node)
{
  if (w)
    set_label(w, coro_map_key(LLVMBasicBlockAsValue(block)), node + 1);
}

void witness_record_clone(struct check_witness *w, const struct witness_clone *clone)
{
  if (w)
    (void)coro_vec_push(w->arena, &w->clones, *clone);
}

void witness_record_body(struct check_witness *w, const struct witness_body *body)
{
  if (w)
    (void)coro_vec_push(w->arena, &w->bodies, *body);
}

void witness_record_call_of_last_body(struct check_witness *w, LLVMValueRef call)
{
  if (w && w->bodies.count)
    witness_record_counterpart(w, call, WITNESS_CALLED, w->bodies.count - 1);
}

void witness_record_inlined_copy(void *witness, LLVMValueRef original, LLVMValueRef copy)
{
  struct check_witness *w = witness;
  if (!w || !w->bodies.count)
    return;
  witness_record_counterpart(w, copy, WITNESS_INLINED, w->bodies.count - 1);
  (void)coro_map_put(&w->originals, coro_map_key(copy), (uint64_t)(uintptr_t)original);
}

LLVMValueRef witness_original_or_null(const struct check_witness *w, LLVMValueRef copy)
{
  uint64_t original = 0;
  coro_map_get(&w->originals, coro_map_key(copy), &original);
  return (LLVMValueRef)(uintptr_t)original;
}

struct witness_entry witness_entry_of_value(const struct check_witness *w, LLVMValueRef made)
{
  uint64_t label = 0;
  coro_map_get(&w->entries, coro_map_key(made), &label);
  return witness_entry_of_label((uint32_t)(label >> 32));
}
