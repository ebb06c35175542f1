/* Memory of allocas: a forward data-flow analysis over all clones at once, with a bit for each alloca on the stack.
   Requires: proved claims, which name the place of each address. */
#include "check/memory.h"

#include "check/copy_in.h"
#include "check/memory_uses.h"
#include "check/words.h"
#include "coro/abi.h"

/* A use by a presplit instruction; the uses of one instruction form a list. */
struct use {
  uint32_t memory, next;
  unsigned effects;
};

struct contents {
  struct check *c;
  CORO_VEC(struct use) uses;
  uint32_t *first;       /* by presplit instruction: its first use, or IR_NONE */
  uint32_t *stack_index; /* by memory: its bit, or IR_NONE for one in the frame */
  uint32_t words;        /* of a set */
  /* Sets, by clone and block: content written since the clone was entered, and before a suspend. */
  uint64_t **written, **lost;
  uint64_t *at_suspend; /* by landing: content that is lost there */
  uint64_t *work;       /* two sets */
};

/* ---- Uses ---- */

static bool add_uses(struct contents *m, uint32_t memory, const struct memory_uses *uses)
{
  for (uint32_t i = 0; i < uses->items.count; i++) {
    uint32_t inst = uses->items.items[i].inst;
    struct use use = {memory, m->first[inst], uses->items.items[i].effects};
    if (!coro_vec_push(m->c->arena, &m->uses, use))
      return false;
    m->first[inst] = m->uses.count - 1;
  }
  return true;
}

/* An address on the stack must not be used in another activation of a clone. */
static bool check_derived(struct contents *m, const struct memory_uses *uses)
{
  struct check *c = m->c;
  for (uint32_t d = 0; d < uses->derived.count; d++)
    if (coro_map_has(&c->exported_values, (uint64_t)uses->derived.items[d] + 1))
      return check_refute(c, c->clones[0], NULL,
                          "'%s', which holds an address on the stack, is kept in the frame across a suspend",
                          check_presplit_name(c, uses->derived.items[d]));
  return true;
}

static bool collect(struct contents *m)
{
  struct check *c = m->c;
  uint32_t stacked = 0;
  m->first = CORO_NEW_ARRAY(c->arena, uint32_t, c->low->fn.inst_count);
  m->stack_index = CORO_NEW_ARRAY(c->arena, uint32_t, c->memories.count);
  if (!m->first || !m->stack_index)
    return false;
  for (uint32_t i = 0; i < c->low->fn.inst_count; i++)
    m->first[i] = IR_NONE;
  for (uint32_t i = 0; i < c->memories.count; i++) {
    const struct check_memory *memory = &c->memories.items[i];
    struct memory_uses uses = {0};
    m->stack_index[i] = IR_NONE;
    if ((memory->places & (PLACE_IN_FRAME | PLACE_ON_STACK)) == (PLACE_IN_FRAME | PLACE_ON_STACK))
      return check_refute(c, c->clones[0], NULL, "'%s' is in the frame in one place and on the stack in another",
                          check_presplit_name(c, memory->value));
    if (memory->places & PLACE_IN_FRAME) {
      bool moves = memory->places & PLACE_BEFORE_BEGIN || memory->value < c->low->fn.arg_count;
      if (moves && !copy_in_check(c, memory))
        return false;
      continue;
    }
    m->stack_index[i] = stacked;
    stacked += 2; /* the next bit: the address has escaped */
    if (!memory_uses_find(c, memory->value, &uses) || !add_uses(m, i, &uses) || !check_derived(m, &uses))
      return false;
  }
  m->words = (stacked + 63) / 64;
  return true;
}

/* ---- Flow ---- */

static void set_bit(uint64_t *set, uint32_t bit)
{
  set[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static void clear_bit(uint64_t *set, uint32_t bit)
{
  set[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

static bool has_bit(const uint64_t *set, uint32_t bit)
{
  return set[bit / 64] >> (bit % 64) & 1;
}

/* Adds the bits of `from`. Returns whether `into` changed. */
static bool add_bits(const struct contents *m, uint64_t *into, const uint64_t *from)
{
  bool changed = false;
  for (uint32_t w = 0; w < m->words; w++) {
    changed |= (from[w] & ~into[w]) != 0;
    into[w] |= from[w];
  }
  return changed;
}

/* Applies the lifetime markers that were skipped before an instruction, of the first `count` of the clone. */
static void apply_skipped(struct contents *m, const struct check_clone *k, uint32_t inst, uint32_t count)
{
  uint64_t last = 0;
  coro_map_get(&k->skipped, (uint64_t)inst + 1, &last);
  for (uint32_t i = last ? (uint32_t)(last - 1) : IR_NONE; i != IR_NONE; i = k->markers.items[i].next)
    for (uint32_t u = m->first[k->markers.items[i].inst]; u != IR_NONE && i < count; u = m->uses.items[u].next) {
      clear_bit(m->work, m->stack_index[m->uses.items[u].memory]);
      clear_bit(m->work, m->stack_index[m->uses.items[u].memory] + 1);
      clear_bit(m->work + m->words, m->stack_index[m->uses.items[u].memory]);
    }
}

/* Applies one instruction of a clone to the sets; with `judge`, refutes reads of lost content. */
static bool apply(struct contents *m, const struct check_clone *k, uint32_t inst, bool judge)
{
  struct witness_entry entry = k->entries[inst];
  uint64_t *written = m->work, *lost = m->work + m->words;
  apply_skipped(m, k, inst, UINT32_MAX);
  if (entry.kind != WITNESS_COPY && entry.kind != WITNESS_LOWERED)
    return true;
  for (uint32_t u = m->first[entry.of]; u != IR_NONE; u = m->uses.items[u].next) {
    const struct use *use = &m->uses.items[u];
    uint32_t bit = m->stack_index[use->memory];
    if (judge && use->effects & MEMORY_READS && has_bit(lost, bit))
      return check_refute(m->c, k, k->fn.insts[inst],
                          "it may read what was written to '%s' before a suspend, but the memory is on the stack",
                          check_presplit_name(m->c, m->c->memories.items[use->memory].value));
    if (use->effects & MEMORY_STARTS) {
      clear_bit(written, bit);
      clear_bit(written, bit + 1);
      clear_bit(lost, bit);
    }
    if (use->effects & (MEMORY_WRITES | MEMORY_ESCAPES))
      set_bit(written, bit);
    if (use->effects & MEMORY_ESCAPES)
      set_bit(written, bit + 1);
  }
  return true;
}

static bool walk_block(struct contents *m, const struct check_clone *k, uint32_t block, uint32_t to, bool judge)
{
  uint32_t first = k->fn.block_start[block];
  for (uint32_t w = 0; w < m->words; w++) {
    m->work[w] = m->written[k->number][block * m->words + w];
    m->work[m->words + w] = m->lost[k->number][block * m->words + w];
  }
  for (uint32_t i = first; i < first + to; i++)
    if (!apply(m, k, i, judge))
      return false;
  return true;
}

/* The sets right before the clone suspends. */
static void walk_to_exit(struct contents *m, const struct check_exit *exit)
{
  const struct check_clone *k = m->c->clones[exit->clone];
  (void)walk_block(m, k, exit->block, exit->at / 2, false);
  apply_skipped(m, k, k->fn.block_start[exit->block] + exit->at / 2, exit->markers);
}

/* Moves what a clone has written to the landings of the suspends at which it returns. */
static bool follow_exits(struct contents *m, const struct check_clone *k)
{
  bool changed = false;
  for (uint32_t e = k->first_exit; e < m->c->exits.count && m->c->exits.items[e].clone == k->number; e++) {
    const struct check_exit *exit = &m->c->exits.items[e];
    if (exit->landing == IR_NONE)
      continue;
    walk_to_exit(m, exit);
    uint64_t *into = m->at_suspend + (size_t)exit->landing * m->words;
    changed |= add_bits(m, into, m->work);
    changed |= add_bits(m, into, m->work + m->words);
  }
  return changed;
}

static bool follow_block(struct contents *m, const struct check_clone *k, uint32_t block)
{
  bool changed = false;
  uint32_t count = k->fn.block_start[block + 1] - k->fn.block_start[block];
  if (k->landing[block] != IR_NONE)
    changed |= add_bits(m, m->lost[k->number] + (size_t)block * m->words,
                        m->at_suspend + (size_t)k->landing[block] * m->words);
  (void)walk_block(m, k, block, count, false);
  for (uint32_t s = k->graph.succ_start[block]; s < k->graph.succ_start[block + 1]; s++) {
    size_t to = (size_t)k->graph.succ[s] * m->words;
    changed |= add_bits(m, m->written[k->number] + to, m->work);
    changed |= add_bits(m, m->lost[k->number] + to, m->work + m->words);
  }
  return changed;
}

/* The caller has written the memory of byval-like arguments. */
static void write_arguments(struct contents *m)
{
  for (uint32_t n = 0; n < m->c->clone_count; n++)
    for (uint32_t i = 0; i < m->c->memories.count && m->c->clones[n]->from->part == CLONE_RAMP; i++)
      if (m->stack_index[i] != IR_NONE && m->c->memories.items[i].value < m->c->low->fn.arg_count)
        set_bit(m->written[n] + (size_t)m->c->clones[n]->rpo.order[0] * m->words, m->stack_index[i]);
}

static void propagate(struct contents *m)
{
  write_arguments(m);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t n = 0; n < m->c->clone_count; n++) {
      const struct check_clone *k = m->c->clones[n];
      for (uint32_t i = 0; i < k->rpo.count; i++)
        if (k->in[k->rpo.order[i]].where != WHERE_LEFT)
          changed |= follow_block(m, k, k->rpo.order[i]);
      changed |= follow_exits(m, k);
    }
  }
}

static bool allocate(struct contents *m)
{
  struct check *c = m->c;
  m->written = CORO_NEW_ARRAY(c->arena, uint64_t *, c->clone_count);
  m->lost = CORO_NEW_ARRAY(c->arena, uint64_t *, c->clone_count);
  m->at_suspend = CORO_NEW_ARRAY(c->arena, uint64_t, (size_t)check_landing_count(c) * m->words + 1);
  m->work = CORO_NEW_ARRAY(c->arena, uint64_t, (size_t)2 * m->words);
  for (uint32_t n = 0; n < c->clone_count && !coro_arena_failed(c->arena); n++) {
    m->written[n] = CORO_NEW_ARRAY(c->arena, uint64_t, (size_t)c->clones[n]->fn.block_count * m->words);
    m->lost[n] = CORO_NEW_ARRAY(c->arena, uint64_t, (size_t)c->clones[n]->fn.block_count * m->words);
  }
  return !coro_arena_failed(c->arena);
}

/* Whether the memory must be on the stack: an exception is stored in it, or the program says so. */
static bool is_kept_on_stack(const struct check *c, uint32_t value)
{
  LLVMValueRef memory = ir_value(&c->low->fn, value);
  bool kept = LLVMIsAInstruction(memory) &&
              LLVMGetMetadata(memory, LLVMGetMDKindIDInContext(c->low->context, "coro.outside.frame", 18));
  for (LLVMUseRef use = LLVMGetFirstUse(memory); use && !kept; use = LLVMGetNextUse(use))
    kept = LLVMIsACatchPadInst(LLVMGetUser(use)) != NULL;
  return kept;
}

/* Memory on the stack must not be known to other code while the coroutine is suspended. */
static bool judge_exit(struct contents *m, const struct check_exit *exit)
{
  const struct check_clone *k = m->c->clones[exit->clone];
  if (exit->landing == IR_NONE || !check_is_suspend_landing(m->c, exit->landing))
    return true;
  walk_to_exit(m, exit);
  for (uint32_t i = 0; i < m->c->memories.count; i++)
    if (m->stack_index[i] != IR_NONE && m->c->memories.items[i].places & PLACE_ON_STACK &&
        has_bit(m->work, m->stack_index[i] + 1) && !is_kept_on_stack(m->c, m->c->memories.items[i].value))
      return check_refute(m->c, k, k->fn.insts[k->fn.block_start[exit->block] + exit->at / 2],
                          "the address of '%s' has escaped, but its memory on the stack is lost at this suspend",
                          check_presplit_name(m->c, m->c->memories.items[i].value));
  return true;
}

static bool judge(struct contents *m)
{
  for (uint32_t n = 0; n < m->c->clone_count; n++) {
    const struct check_clone *k = m->c->clones[n];
    for (uint32_t b = 0; b < k->fn.block_count; b++)
      if (k->in[b].where != WHERE_LEFT && !walk_block(m, k, b, k->fn.block_start[b + 1] - k->fn.block_start[b], true))
        return false;
  }
  for (uint32_t e = 0; e < m->c->exits.count; e++)
    if (!judge_exit(m, &m->c->exits.items[e]))
      return false;
  return true;
}

/* ---- The frame ---- */

/* Fields that share bytes with an alloca are not yet proved to be dead while it is live. */
static bool check_layout(struct check *c)
{
  const struct coro_frame *frame = &c->low->frame;
  uint32_t *order = coro_frame_by_offset(c->arena, frame);
  uint64_t end = 0;
  bool alloca_before = false, rounded = coro_shape_has(&c->low->shape, &c->low->fn, INTRIN_ALIGN);
  for (uint32_t i = 0; order && i < frame->field_count; i++) {
    const struct coro_field *field = &frame->fields[order[i]];
    if (rounded && frame->size % frame->align)
      return check_refute(c, c->clones[0], NULL, "the frame's size is no multiple of its alignment");
    bool is_alloca = field->kind == CORO_FIELD_ALLOCA || field->kind == CORO_FIELD_PROMISE;
    if (field->offset % field->align || field->offset + field->size > frame->size)
      return check_refute(c, c->clones[0], NULL,
                          "the frame's field at byte %llu is misaligned, or outside of the frame",
                          (unsigned long long)field->offset);
    if (field->offset < end && field->size && (is_alloca || alloca_before))
      return check_unsupported(c, "bytes of the frame that an alloca shares");
    alloca_before = field->offset < end ? alloca_before || is_alloca : is_alloca;
    end = field->offset + field->size > end ? field->offset + field->size : end;
  }
  return order;
}

bool memory_check(struct check *c)
{
  struct contents m = {.c = c};
  if (c->verdict == CHECK_REFUTED || !check_layout(c) || !collect(&m))
    return false;
  if (!m.words)
    return true;
  if (!allocate(&m))
    return false;
  propagate(&m);
  return judge(&m);
}
