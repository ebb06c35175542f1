/* Searches the operands of a wave's functions; see wave_references.h. */
#include "cgscc/wave_references.h"

#include "ir/edit.h"

/* Memo by function: whether it is in the wave; whether it, or a function that refers to it, is. */
struct reference_search {
  const struct cgscc_waves *waves;
  struct coro_map in_wave, near;
};

static bool is_in_or_referenced_by_wave(struct reference_search *n, LLVMValueRef function);

static bool is_in_wave_memoized(struct reference_search *n, LLVMValueRef function)
{
  uint64_t known = 0, key = coro_map_key(function);
  if (!coro_map_get(&n->in_wave, key, &known))
    /* on memory exhaustion it is recomputed */
    (void)coro_map_put(&n->in_wave, key, known = waves_contains(n->waves, function));
  return known;
}

/* Whether a function that refers to the value, by an operand or a constant expression, is in the wave or, with
   `through_neighbors`, is referred to by one that is. */
static bool is_referenced_from_wave(struct reference_search *n, LLVMValueRef value, bool through_neighbors)
{
  bool referenced = false;
  for (LLVMUseRef use = LLVMGetFirstUse(value); use && !referenced; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!edit_is_instruction(user)) {
      referenced =
          LLVMIsAConstantExpr(user) && is_referenced_from_wave(n, user, through_neighbors); /* nesting is shallow */
      continue;
    }
    LLVMValueRef function = edit_function_of(user);
    referenced = through_neighbors ? is_in_or_referenced_by_wave(n, function) : is_in_wave_memoized(n, function);
  }
  return referenced;
}

static bool is_in_or_referenced_by_wave(struct reference_search *n, LLVMValueRef function)
{
  uint64_t known = 0, key = coro_map_key(function);
  if (!coro_map_get(&n->near, key, &known))
    (void)coro_map_put(&n->near, key,
                       known = is_in_wave_memoized(n, function) || is_referenced_from_wave(n, function, false));
  return known;
}

bool waves_use_internal_variables(const struct cgscc_waves *waves)
{
  struct coro_arena_mark mark = coro_arena_mark(waves->arena);
  struct reference_search n = {.waves = waves};
  bool referenced = false;
  coro_map_init(&n.in_wave, waves->arena);
  coro_map_init(&n.near, waves->arena);
  for (LLVMValueRef g = LLVMGetFirstGlobal(waves->run->module); g && !referenced; g = LLVMGetNextGlobal(g))
    referenced = edit_has_local_linkage(g) && !LLVMIsGlobalConstant(g) && is_referenced_from_wave(&n, g, true);
  coro_arena_rewind(waves->arena, mark);
  return referenced;
}
