/* Whether destroying a coroutine ended by an exception executes the same code as destroying it at its final suspend.
   Compares the two paths block by block, tracking constants that differ. */
#include "analysis/final_cleanup_equivalence.h"

#include "analysis/fold.h"
#include "base/vec.h"
#include "ir/constant_fold.h"
#include "ir/flow.h"

/* A value on each of the two paths; NULL: unknown. */
struct known {
  LLVMValueRef final, unwound;
};

struct walk {
  struct final_cleanup *a;
  struct coro_arena *arena;
  struct coro_map differs; /* instruction -> index in known, plus one, of values that differ between the paths */
  CORO_VEC(struct known) known;
  bool paths_end; /* the paths end: one leaves the coroutine, the other propagates the exception */
};

struct edge {
  uint32_t from, to; /* blocks of the current edge */
};

static LLVMValueRef terminator_of(const struct ir_fn *fn, uint32_t block)
{
  return fn->insts[fn->block_start[block + 1] - 1];
}

static struct edge skip_empty_blocks(const struct ir_fn *fn, struct edge edge)
{
  for (uint32_t i = 0; i < fn->block_count; i++) {
    LLVMValueRef jump = terminator_of(fn, edge.to);
    if (fn->block_start[edge.to] + 1 != fn->block_start[edge.to + 1] || !flow_is_jump(jump))
      break;
    edge = (struct edge){edge.to, flow_successor(fn, jump, 0)};
  }
  return edge;
}

/* ---- Values that differ between the paths ---- */

static LLVMValueRef constant_or_null(LLVMValueRef value)
{
  return value && LLVMIsAConstantInt(value) ? value : NULL;
}

static bool add_difference(struct walk *w, uint32_t inst, LLVMValueRef final, LLVMValueRef unwound)
{
  return coro_vec_push(w->arena, &w->known, ((struct known){constant_or_null(final), constant_or_null(unwound)})) &&
         coro_map_put(&w->differs, coro_map_pair(inst, 0), w->known.count);
}

static const struct known *difference_of(const struct walk *w, uint32_t inst)
{
  uint64_t found = 0;
  return inst != IR_NONE && coro_map_get(&w->differs, coro_map_pair(inst, 0), &found) ? &w->known.items[found - 1]
                                                                                      : NULL;
}

/* The incoming value of a phi at a join. Phis of one block usually have the same order of entries. */
static LLVMValueRef incoming_value_from_block(const struct final_cleanup *a, uint32_t phi, uint32_t from)
{
  uint32_t count = ir_phi_count(a->fn, phi), k = a->entry[from];
  if (ir_operand(a->fn, phi, count + k) != (IR_BLOCK | from))
    for (k = 0; k < count && ir_operand(a->fn, phi, count + k) != (IR_BLOCK | from);)
      k++;
  return k < count ? LLVMGetIncomingValue(a->fn->insts[phi], k) : NULL;
}

static bool compare_phis(struct walk *w, uint32_t from)
{
  const struct final_cleanup *a = w->a;
  for (uint32_t i = a->fn->block_start[a->to]; a->fn->opcode[i] == LLVMPHI; i++) {
    LLVMValueRef final = incoming_value_from_block(a, i, a->from), unwound = incoming_value_from_block(a, i, from);
    if (final != unwound && !add_difference(w, i, final, unwound))
      return false;
  }
  return true;
}

/* An operand whose value differs between the paths; IR_NONE: none. */
static uint32_t differing_operand(const struct walk *w, uint32_t inst)
{
  const struct ir_fn *fn = w->a->fn;
  for (uint32_t o = 0; o < fn->operand_start[inst + 1] - fn->operand_start[inst]; o++)
    if (difference_of(w, ir_operand_inst(fn, inst, o)))
      return ir_operand_inst(fn, inst, o);
  return IR_NONE;
}

/* Evaluates an instruction with such an operand. *same is false if the result is not known on both paths. */
static bool evaluate_under_difference(struct walk *w, uint32_t inst, uint32_t operand, bool *same)
{
  const struct known known = *difference_of(w, operand);
  LLVMValueRef value = w->a->fn->insts[inst], source = w->a->fn->insts[operand];
  LLVMValueRef final = known.final ? constant_fold(value, source, known.final) : NULL;
  LLVMValueRef unwound = known.unwound ? constant_fold(value, source, known.unwound) : NULL;
  *same = final && unwound;
  return !*same || add_difference(w, inst, final, unwound);
}

/* ---- Control flow ---- */

static void enter_compared_block(struct walk *w, uint32_t block, bool *same)
{
  if (block == w->a->to && w->a->blocks.count)
    *same = false; /* a differing value would have a third meaning there */
  if (!coro_bits_get(w->a->eh_resume, block))
    worklist_enter(&w->a->blocks, block);
}

/* Whether the block only leaves the coroutine. */
static bool only_exits_coroutine(const struct walk *w, uint32_t block)
{
  const struct ir_fn *fn = w->a->fn;
  block = skip_empty_blocks(fn, (struct edge){block, block}).to;
  for (uint32_t i = fn->block_start[block]; i < fn->block_start[block + 1]; i++) {
    enum intrin intrin = w->a->shape->intrin[i];
    if (intrin == INTRIN_END)
      return !coro_is_unwind_end(fn, i);
    if (fn->opcode[i] != LLVMPHI && !intrin_is_lifetime(intrin))
      return false;
  }
  return false;
}

static void compare_known_branch(struct walk *w, LLVMValueRef terminator, const struct known *known, bool *same)
{
  LLVMValueRef chosen = flow_branch_operand(terminator);
  const struct ir_fn *fn = w->a->fn;
  *same = known->final && known->unwound;
  if (!*same)
    return;
  uint32_t final = flow_successor(fn, terminator, constant_successor(terminator, chosen, known->final));
  uint32_t unwound = flow_successor(fn, terminator, constant_successor(terminator, chosen, known->unwound));
  if (final == unwound) {
    enter_compared_block(w, final, same);
  } else {
    w->paths_end = true;
    *same = only_exits_coroutine(w, final) && coro_bits_get(w->a->eh_resume, unwound);
  }
}

static void compare_terminator(struct walk *w, uint32_t inst, bool *same)
{
  const struct ir_fn *fn = w->a->fn;
  LLVMValueRef terminator = fn->insts[inst], chosen = flow_branch_operand(terminator);
  const struct known *known = chosen ? difference_of(w, ir_inst(fn, chosen)) : NULL;
  if (known) {
    compare_known_branch(w, terminator, known, same);
    return;
  }
  bool ends = fn->opcode[inst] == LLVMUnreachable || fn->opcode[inst] == LLVMResume;
  *same =
      differing_operand(w, inst) == IR_NONE && (ends || fn->opcode[inst] == LLVMInvoke || flow_is_branch(terminator));
  for (unsigned i = 0; *same && i < LLVMGetNumSuccessors(terminator); i++)
    enter_compared_block(w, flow_successor(fn, terminator, i), same);
}

/* Whether both paths execute the block equally, without leaving or suspending the coroutine. */
static bool compare_block(struct walk *w, uint32_t block, bool *same)
{
  const struct ir_fn *fn = w->a->fn;
  uint32_t last = fn->block_start[block + 1] - 1;
  for (uint32_t i = fn->block_start[block]; i < last && *same; i++) {
    enum intrin intrin = w->a->shape->intrin[i];
    if (fn->opcode[i] == LLVMPHI && block == w->a->to)
      continue; /* visited once, with these values */
    if (coro_is_suspend(w->a->shape, i) || intrin == INTRIN_END || intrin == INTRIN_IS_IN_RAMP)
      *same = false;
    else if (differing_operand(w, i) != IR_NONE && !evaluate_under_difference(w, i, differing_operand(w, i), same))
      return false;
  }
  if (*same)
    compare_terminator(w, last, same);
  return !coro_arena_failed(w->arena);
}

/* Whether a phi has an incoming value that differs. When its block was visited, the block that computes the value may
   not have been. */
static bool merges_difference(const struct walk *w, uint32_t block)
{
  const struct ir_fn *fn = w->a->fn;
  for (uint32_t i = fn->block_start[block]; fn->opcode[i] == LLVMPHI && block != w->a->to; i++)
    if (differing_operand(w, i) != IR_NONE)
      return true;
  return false;
}

/* Visits all blocks that both paths execute. */
static bool compare_paths(struct walk *w, uint32_t from, bool *same)
{
  if (!compare_phis(w, from))
    return false;
  enter_compared_block(w, w->a->to, same);
  for (uint32_t block; *same && worklist_take(&w->a->blocks, &block);)
    if (!compare_block(w, block, same))
      return false;
  for (uint32_t i = 0; *same && i < w->a->blocks.count; i++)
    *same = !merges_difference(w, w->a->blocks.items[i]);
  *same &= w->paths_end;
  return !coro_arena_failed(w->arena);
}

bool final_cleanup_is_equivalent(struct final_cleanup *a, struct coro_arena *arena, uint32_t block, bool *same)
{
  const struct ir_fn *fn = a->fn;
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  struct walk w = {.a = a, .arena = arena};
  struct edge edge = skip_empty_blocks(fn, (struct edge){block, flow_successor(fn, terminator_of(fn, block), 0)});
  *same = edge.to == a->to;
  worklist_restart(&a->blocks);
  coro_map_init(&w.differs, arena);
  bool fine = !*same || compare_paths(&w, edge.from, same);
  coro_arena_rewind(arena, scratch);
  return fine;
}

bool final_cleanup_init(struct final_cleanup *a, struct coro_arena *arena)
{
  const struct ir_fn *fn = a->fn;
  const struct coro_suspend *last = &a->shape->suspends[a->shape->suspend_count - 1];
  uint32_t suspended = ir_block_of(fn, last->inst), end = fn->block_start[suspended + 1];
  a->from = a->to = IR_NONE;
  a->entry = CORO_NEW_ARRAY(arena, uint32_t, fn->block_count);
  if (!a->entry || !worklist_init(&a->blocks, arena, fn->block_count))
    return false;
  if (!last->final || !fold_possible(fn, last->inst, end))
    return true;
  uint32_t destroyed = fold_target(fn, last->inst, end, 1) & ~IR_BLOCK;
  struct edge final = skip_empty_blocks(fn, (struct edge){suspended, destroyed});
  uint32_t phi = fn->block_start[final.to], count = fn->opcode[phi] == LLVMPHI ? ir_phi_count(fn, phi) : 0;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t from = ir_operand(fn, phi, count + k);
    if (from != IR_NONE)
      a->entry[from & ~IR_BLOCK] = k;
  }
  a->from = final.from;
  a->to = final.to;
  return true;
}
