/* Whether destroying a coroutine ended by an exception executes the same code as destroying it at its final suspend.
   Compares the two paths block by block, tracking constants that differ.
   Requires: number, shape.
   Guarantees: the function is unchanged. */
#include "coro/as_final.h"

#include "base/vec.h"
#include "coro/fold.h"
#include "ir/flow.h"
#include "ir/operand.h"

/* A value on each of the two paths; NULL: unknown. */
struct known {
  LLVMValueRef final, unwound;
};

struct walk {
  struct as_final *a;
  struct coro_arena *arena;
  struct coro_map differs; /* instruction -> index in known, plus one, of values that differ between the paths */
  CORO_VEC(struct known) known;
  CORO_VEC(uint32_t) blocks; /* worklist of blocks on both paths */
  bool parts; /* the paths end: one leaves the coroutine, the other propagates the exception */
};

struct way {
  uint32_t from, to; /* blocks of the current edge */
};

static LLVMValueRef terminator_of(const struct ir_fn *fn, uint32_t block)
{
  return fn->insts[fn->block_start[block + 1] - 1];
}

static struct way behind_jumps(const struct ir_fn *fn, struct way way)
{
  for (uint32_t i = 0; i < fn->block_count; i++) {
    LLVMValueRef jump = terminator_of(fn, way.to);
    if (fn->block_start[way.to] + 1 != fn->block_start[way.to + 1] || !flow_is_jump(jump))
      break;
    way = (struct way){way.to, flow_successor(fn, jump, 0)};
  }
  return way;
}

/* ---- Values that differ between the paths ---- */

static LLVMValueRef constant(LLVMValueRef value)
{
  return value && LLVMIsAConstantInt(value) ? value : NULL;
}

static bool add_difference(struct walk *w, uint32_t inst, LLVMValueRef final, LLVMValueRef unwound)
{
  return coro_vec_push(w->arena, &w->known, ((struct known){constant(final), constant(unwound)})) &&
         coro_map_put(&w->differs, coro_map_pair(inst, 0), w->known.count);
}

static const struct known *difference(const struct walk *w, uint32_t inst)
{
  uint64_t found = 0;
  return inst != IR_NONE && coro_map_get(&w->differs, coro_map_pair(inst, 0), &found) ? &w->known.items[found - 1]
                                                                                      : NULL;
}

/* The incoming value of a phi at a join. Phis of one block usually have the same order of entries. */
static LLVMValueRef incoming(const struct as_final *a, uint32_t phi, uint32_t from)
{
  uint32_t count = ir_phi_count(a->fn, phi), k = a->entry[from];
  if (ir_operand(a->fn, phi, count + k) != (IR_BLOCK | from))
    for (k = 0; k < count && ir_operand(a->fn, phi, count + k) != (IR_BLOCK | from);)
      k++;
  return k < count ? LLVMGetIncomingValue(a->fn->insts[phi], k) : NULL;
}

static bool enter(struct walk *w, uint32_t from)
{
  const struct as_final *a = w->a;
  for (uint32_t i = a->fn->block_start[a->to]; a->fn->opcode[i] == LLVMPHI; i++) {
    LLVMValueRef final = incoming(a, i, a->from), unwound = incoming(a, i, from);
    if (final != unwound && !add_difference(w, i, final, unwound))
      return false;
  }
  return true;
}

/* Evaluates a comparison with a constant. */
static bool compare(struct walk *w, uint32_t inst, bool *same)
{
  LLVMValueRef compared = w->a->fn->insts[inst], with = LLVMGetOperand(compared, COMPARE_RIGHT);
  const struct known *known = difference(w, ir_operand_inst(w->a->fn, inst, COMPARE_LEFT));
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(compared);
  if (!known || !known->final || !known->unwound || !LLVMIsAConstantInt(with) ||
      (predicate != LLVMIntEQ && predicate != LLVMIntNE)) {
    *same = false;
    return true;
  }
  LLVMTypeRef type = LLVMTypeOf(compared); /* constants are unique in a context */
  bool final = (known->final == with) == (predicate == LLVMIntEQ);
  bool unwound = (known->unwound == with) == (predicate == LLVMIntEQ);
  return add_difference(w, inst, LLVMConstInt(type, final, false), LLVMConstInt(type, unwound, false));
}

static bool uses_difference(const struct walk *w, uint32_t inst)
{
  const struct ir_fn *fn = w->a->fn;
  for (uint32_t o = 0; o < fn->operand_start[inst + 1] - fn->operand_start[inst]; o++)
    if (difference(w, ir_operand_inst(fn, inst, o)))
      return true;
  return false;
}

/* ---- Control flow ---- */

static void come_to(struct walk *w, uint32_t block, bool *same)
{
  if (block == w->a->to && w->blocks.count)
    *same = false; /* a differing value would have a third meaning there */
  if (coro_bits_get(&w->a->seen, block) || coro_bits_get(w->a->eh_resume, block))
    return;
  if (coro_vec_push(w->arena, &w->blocks, block))
    coro_bits_set(&w->a->seen, block);
  else
    *same = false; /* the arena records the failure */
}

/* Whether the block only leaves the coroutine. */
static bool leaves(const struct walk *w, uint32_t block)
{
  const struct ir_fn *fn = w->a->fn;
  block = behind_jumps(fn, (struct way){block, block}).to;
  for (uint32_t i = fn->block_start[block]; i < fn->block_start[block + 1]; i++) {
    enum intrin intrin = w->a->shape->intrin[i];
    if (intrin == INTRIN_END)
      return !coro_is_unwind_end(fn, i);
    if (fn->opcode[i] != LLVMPHI && !intrin_is_lifetime(intrin))
      return false;
  }
  return false;
}

static void choose(struct walk *w, LLVMValueRef terminator, const struct known *known, bool *same)
{
  const struct ir_fn *fn = w->a->fn;
  *same = known->final && known->unwound;
  if (!*same)
    return;
  uint32_t final = flow_successor(fn, terminator, flow_successor_for(terminator, known->final));
  uint32_t unwound = flow_successor(fn, terminator, flow_successor_for(terminator, known->unwound));
  if (final == unwound) {
    come_to(w, final, same);
  } else {
    w->parts = true;
    *same = leaves(w, final) && coro_bits_get(w->a->eh_resume, unwound);
  }
}

static void go_on(struct walk *w, uint32_t inst, bool *same)
{
  const struct ir_fn *fn = w->a->fn;
  LLVMValueRef terminator = fn->insts[inst], chosen = flow_branch_operand(terminator);
  const struct known *known = chosen ? difference(w, ir_inst(fn, chosen)) : NULL;
  if (known) {
    choose(w, terminator, known, same);
    return;
  }
  bool ends = fn->opcode[inst] == LLVMUnreachable || fn->opcode[inst] == LLVMResume;
  *same = !uses_difference(w, inst) && (ends || fn->opcode[inst] == LLVMInvoke || flow_is_branch(terminator));
  for (unsigned i = 0; *same && i < LLVMGetNumSuccessors(terminator); i++)
    come_to(w, flow_successor(fn, terminator, i), same);
}

/* Whether both paths execute the block equally, without leaving or suspending the coroutine. */
static bool pass(struct walk *w, uint32_t block, bool *same)
{
  const struct ir_fn *fn = w->a->fn;
  uint32_t last = fn->block_start[block + 1] - 1;
  for (uint32_t i = fn->block_start[block]; i < last && *same; i++) {
    enum intrin intrin = w->a->shape->intrin[i];
    if (fn->opcode[i] == LLVMPHI && block == w->a->to)
      continue; /* visited once, with these values */
    if (coro_is_suspend(w->a->shape, i) || intrin == INTRIN_END || intrin == INTRIN_IS_IN_RAMP)
      *same = false;
    else if (fn->opcode[i] == LLVMICmp && uses_difference(w, i)) {
      if (!compare(w, i, same))
        return false;
    } else
      *same = !uses_difference(w, i);
  }
  if (*same)
    go_on(w, last, same);
  return !coro_arena_failed(w->arena);
}

/* Visits all blocks that both paths execute. */
static bool walk(struct walk *w, uint32_t from, bool *same)
{
  if (!enter(w, from))
    return false;
  come_to(w, w->a->to, same);
  for (uint32_t i = 0; i < w->blocks.count && *same; i++)
    if (!pass(w, w->blocks.items[i], same))
      return false;
  *same &= w->parts;
  return !coro_arena_failed(w->arena);
}

bool as_final(struct as_final *a, struct coro_arena *arena, uint32_t block, bool *same)
{
  const struct ir_fn *fn = a->fn;
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  struct walk w = {.a = a, .arena = arena};
  struct way way = behind_jumps(fn, (struct way){block, flow_successor(fn, terminator_of(fn, block), 0)});
  *same = way.to == a->to;
  coro_map_init(&w.differs, arena);
  bool fine = !*same || walk(&w, way.from, same);
  for (uint32_t i = 0; i < w.blocks.count; i++)
    coro_bits_unset(&a->seen, w.blocks.items[i]);
  coro_arena_rewind(arena, scratch);
  return fine;
}

bool as_final_begin(struct as_final *a, struct coro_arena *arena)
{
  const struct ir_fn *fn = a->fn;
  const struct coro_suspend *last = &a->shape->suspends[a->shape->suspend_count - 1];
  uint32_t suspended = ir_block_of(fn, last->inst), end = fn->block_start[suspended + 1];
  a->from = a->to = IR_NONE;
  a->entry = CORO_NEW_ARRAY(arena, uint32_t, fn->block_count);
  if (!a->entry || !coro_bits_init(&a->seen, arena, fn->block_count))
    return false;
  if (!last->final || !fold_possible(fn, last->inst, end))
    return true;
  uint32_t destroyed = fold_target(fn, last->inst, end, 1) & ~IR_BLOCK;
  struct way final = behind_jumps(fn, (struct way){suspended, destroyed});
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
