/* Memory of allocas: a forward data-flow analysis over all clones at once, with a bit for each alloca on the stack.
   Requires: proved claims, which name the place of each address. */
#include "check/memory.h"

#include "check/copy_in.h"
#include "check/frame_access.h"
#include "check/frame_overlap.h"
#include "check/memory_uses.h"
#include "check/words.h"
#include "ir/operand.h"
#include "lowering/abi.h"

/* A use by a presplit instruction; the uses of one instruction form a list. */
struct use {
  uint32_t memory, next;
  unsigned effects;
};

/* Bits of one memory: it has content; its address has escaped in this lifetime; in the frame: the content has been
   overwritten; the address has escaped in this lifetime or an earlier one. */
enum { WRITTEN, ESCAPED, CLOBBERED, KNOWN, BITS };

struct contents {
  struct check *c;
  bool shares; /* an alloca in the frame shares bytes */
  CORO_VEC(struct use) uses;
  uint32_t *first;       /* by presplit instruction: its first use, or IR_NONE */
  uint32_t *stack_index; /* by memory: its bit, or IR_NONE for one in the frame */
  uint32_t bit_count, words; /* of a set */
  /* Sets, by clone and block: content written since the clone was entered, and before a suspend. */
  uint64_t **written, **lost;
  uint64_t *at_suspend; /* by landing: content that is lost there */
  uint64_t *work;       /* two sets */
  uint64_t *in_frame;   /* the bits of memory in the frame, which is not lost */
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

/* Memory that is only used before llvm.coro.begin. A callee is assumed not to keep its address, but a store does. */
static bool check_stored(struct contents *m, const struct check_memory *memory, const struct memory_uses *uses)
{
  for (uint32_t i = 0; i < uses->items.count && memory->places == PLACE_BEFORE_BEGIN; i++)
    if (uses->items.items[i].effects & MEMORY_STORED)
      return check_unsupported(m->c, "an address that is stored before llvm.coro.begin");
  return true;
}

/* An address on the stack must not be used in another activation of a clone. */
static bool check_derived(struct contents *m, uint32_t memory, const struct memory_uses *uses)
{
  struct check *c = m->c;
  for (uint32_t d = 0; d < uses->derived.count; d++)
    if (coro_map_has(&c->exported_values, (uint64_t)uses->derived.items[d] + 1))
      return is_kept_on_stack(c, memory)
                 ? check_unsupported(c, "an address of memory outside of the frame that is live across a suspend")
                 : check_refute(c, c->clones[0], NULL,
                                "'%s', which holds an address on the stack, is kept in the frame across a suspend",
                                check_presplit_name(c, uses->derived.items[d]));
  return true;
}

/* Gives the memory its bits, and notes its uses. */
static bool track(struct contents *m, uint32_t memory, const struct memory_uses *uses)
{
  m->stack_index[memory] = m->bit_count;
  m->bit_count += BITS;
  return add_uses(m, memory, uses);
}

/* Memory in the frame is tracked only if it shares bytes. */
static bool collect_in_frame(struct contents *m, uint32_t memory)
{
  struct check *c = m->c;
  const struct check_memory *item = &c->memories.items[memory];
  struct memory_uses uses = {0};
  bool moves = item->places & PLACE_BEFORE_BEGIN || item->value < c->low->fn.arg_count;
  if (moves && !copy_in_check(c, item))
    return false;
  uint32_t field = c->low->frame.of_value[item->value];
  if (field == IR_NONE || !frame_overlap_is_shared(c, field, false))
    return true;
  m->shares = true;
  return (!moves && memory_uses_find(c, item->value, &uses) && track(m, memory, &uses)) ||
         check_unsupported(c, "bytes of the frame that an alloca shares which moves there");
}

static bool collect_on_stack(struct contents *m, uint32_t memory)
{
  const struct check_memory *item = &m->c->memories.items[memory];
  struct memory_uses uses = {0};
  return memory_uses_find(m->c, item->value, &uses) && check_stored(m, item, &uses) && track(m, memory, &uses) &&
         check_derived(m, item->value, &uses);
}

static bool collect(struct contents *m)
{
  struct check *c = m->c;
  m->first = CORO_NEW_ARRAY(c->arena, uint32_t, c->low->fn.inst_count);
  m->stack_index = CORO_NEW_ARRAY(c->arena, uint32_t, c->memories.count);
  if (!m->first || !m->stack_index)
    return false;
  for (uint32_t i = 0; i < c->low->fn.inst_count; i++)
    m->first[i] = IR_NONE;
  for (uint32_t i = 0; i < c->memories.count; i++) {
    const struct check_memory *memory = &c->memories.items[i];
    m->stack_index[i] = IR_NONE;
    uint32_t made = ir_inst_of_value(&c->low->fn, memory->value);
    if (made != IR_NONE && c->low->fn.inst_block[made] && c->low->fn.opcode[made] == LLVMAlloca &&
        memory->places & (PLACE_IN_FRAME | PLACE_SHARED_BY_ALL))
      return check_unsupported(c, "an alloca outside of the entry block with one place for all its executions");
    if ((memory->places & (PLACE_IN_FRAME | PLACE_ON_STACK)) == (PLACE_IN_FRAME | PLACE_ON_STACK))
      return check_refute(c, c->clones[0], NULL, "'%s' is in the frame in one place and on the stack in another",
                          check_presplit_name(c, memory->value));
    if (!(memory->places & PLACE_IN_FRAME ? collect_in_frame(m, i) : collect_on_stack(m, i)))
      return false;
  }
  m->words = (m->bit_count + 63) / 64;
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

static bool is_in_frame(const struct contents *m, uint32_t memory)
{
  return m->c->memories.items[memory].places & PLACE_IN_FRAME;
}

/* New content. An address that escaped in an earlier lifetime may be used from the start of the next. Returns whether
   other code may write the memory from here on. */
static bool start_content(struct contents *m, uint32_t memory, uint32_t inst)
{
  uint32_t bit = m->stack_index[memory];
  enum intrin intrin = (enum intrin)m->c->low->shape.intrin[inst];
  clear_bit(m->work, bit + WRITTEN);
  clear_bit(m->work, bit + CLOBBERED);
  clear_bit(m->work + m->words, bit);
  if (intrin_is_lifetime(intrin) || intrin == INTRIN_ALLOCA_FREE || m->c->low->fn.opcode[inst] == LLVMAlloca)
    clear_bit(m->work, bit + ESCAPED);
  return intrin == INTRIN_LIFETIME_START && has_bit(m->work, bit + KNOWN);
}

static void clobber(struct contents *m, uint64_t offset, uint64_t size, uint32_t writer);

/* An instruction writes the memory, or other code may write it from here on. */
static void write_content(struct contents *m, uint32_t memory, bool escapes)
{
  const struct coro_field *field =
      is_in_frame(m, memory) ? frame_overlap_field(m->c, m->c->memories.items[memory].value) : NULL;
  set_bit(m->work, m->stack_index[memory] + WRITTEN);
  if (escapes) {
    set_bit(m->work, m->stack_index[memory] + ESCAPED);
    set_bit(m->work, m->stack_index[memory] + KNOWN);
  }
  if (field)
    clobber(m, field->offset, field->size, memory);
}

/* The first lifetime marker that was skipped before an instruction; `next` leads to the others. IR_NONE: none. */
static uint32_t first_skipped(const struct check_clone *k, uint32_t inst)
{
  uint64_t first = 0;
  coro_map_get(&k->skipped, (uint64_t)inst + 1, &first);
  return first ? (uint32_t)(first - 1) : IR_NONE;
}

/* Applies the lifetime markers that were skipped before an instruction, of the first `count` of the clone. */
static void apply_skipped(struct contents *m, const struct check_clone *k, uint32_t inst, uint32_t count)
{
  for (uint32_t i = first_skipped(k, inst); i != IR_NONE && i < count; i = k->markers.items[i].next)
    for (uint32_t u = m->first[k->markers.items[i].inst]; u != IR_NONE; u = m->uses.items[u].next) {
      if (start_content(m, m->uses.items[u].memory, k->markers.items[i].inst))
        write_content(m, m->uses.items[u].memory, true);
    }
}

/* Bytes of the frame are written, by `writer` or (IR_NONE) by the ABI: other content there is lost. */
static void clobber(struct contents *m, uint64_t offset, uint64_t size, uint32_t writer)
{
  for (uint32_t i = 0; i < m->c->memories.count; i++) {
    const struct coro_field *field = m->stack_index[i] != IR_NONE && is_in_frame(m, i)
                                         ? frame_overlap_field(m->c, m->c->memories.items[i].value)
                                         : NULL;
    if (!field || i == writer || !frame_overlap_intersects(offset, size, field->offset, field->size))
      continue;
    if (has_bit(m->work, m->stack_index[i] + WRITTEN))
      set_bit(m->work, m->stack_index[i] + CLOBBERED);
    if (writer != IR_NONE && has_bit(m->work, m->stack_index[i] + ESCAPED)) /* it may be written at any time */
      set_bit(m->work, m->stack_index[writer] + CLOBBERED);
  }
}

static void clobber_by_store(struct contents *m, const struct check_clone *k, uint32_t inst)
{
  struct check_store store;
  if (k->fn.opcode[inst] == LLVMStore && frame_access_of(m->c, k, inst, &store))
    clobber(m, store.offset, store.size, IR_NONE);
}

static bool judge_use(struct contents *m, const struct check_clone *k, uint32_t inst, const struct use *use)
{
  uint32_t bit = m->stack_index[use->memory];
  const char *name = NULL;
  if (has_bit(m->work + m->words, bit))
    name = "it may read what was written to '%s' before a suspend, but the memory is on the stack";
  else if (has_bit(m->work, bit + CLOBBERED))
    name = "it may read '%s', whose bytes in the frame have been overwritten";
  return !name || check_refute(m->c, k, k->fn.insts[inst], name,
                               check_presplit_name(m->c, m->c->memories.items[use->memory].value));
}

/* Memory on the stack has another address in each activation of a clone. */
static bool judge_start(struct contents *m, const struct check_clone *k, uint32_t inst, uint32_t memory)
{
  bool known = has_bit(m->work + m->words, m->stack_index[memory] + KNOWN);
  return m->c->low->shape.intrin[inst] != INTRIN_LIFETIME_START || !known ||
         is_kept_on_stack(m->c, m->c->memories.items[memory].value) ||
         check_refute(m->c, k, NULL, "the address of '%s' escaped before a suspend, but its memory is on the stack",
                      check_presplit_name(m->c, m->c->memories.items[memory].value));
}

/* The same for the lifetime markers that were skipped before an instruction. */
static bool judge_skipped(struct contents *m, const struct check_clone *k, uint32_t inst)
{
  for (uint32_t i = first_skipped(k, inst); i != IR_NONE; i = k->markers.items[i].next)
    for (uint32_t u = m->first[k->markers.items[i].inst]; u != IR_NONE; u = m->uses.items[u].next)
      if (!judge_start(m, k, k->markers.items[i].inst, m->uses.items[u].memory))
        return false;
  return true;
}

/* The presplit instruction that an instruction of the clone executes; IR_NONE: none. */
static uint32_t executed_by(const struct check *c, const struct check_clone *k, uint32_t inst)
{
  struct witness_entry entry = k->entries[inst];
  if (entry.kind == WITNESS_INLINED && c->bodies[entry.of].from->tail && c->bodies[entry.of].first == inst)
    return c->bodies[entry.of].from->inst;
  return entry.kind == WITNESS_COPY || entry.kind == WITNESS_LOWERED ? entry.of : IR_NONE;
}

/* Applies the uses of presplit instruction `executed`, for which the clone has `inst`. */
static bool apply_uses(struct contents *m, const struct check_clone *k, uint32_t inst, uint32_t executed, bool judge)
{
  for (uint32_t u = m->first[executed]; u != IR_NONE; u = m->uses.items[u].next) {
    const struct use *use = &m->uses.items[u];
    if (judge && use->effects & MEMORY_READS && !judge_use(m, k, inst, use))
      return false;
    if (judge && !judge_start(m, k, executed, use->memory))
      return false;
    bool escapes = use->effects & MEMORY_ESCAPES;
    if (use->effects & MEMORY_STARTS)
      escapes |= start_content(m, use->memory, executed);
    if (escapes || use->effects & MEMORY_WRITES)
      write_content(m, use->memory, escapes);
  }
  return true;
}

/* Applies one instruction of a clone to the sets; with `judge`, refutes reads of lost content. */
static bool apply(struct contents *m, const struct check_clone *k, uint32_t inst, bool judge)
{
  if (judge && !judge_skipped(m, k, inst))
    return false;
  apply_skipped(m, k, inst, UINT32_MAX);
  if (m->shares)
    clobber_by_store(m, k, inst);
  uint32_t executed = executed_by(m->c, k, inst);
  return executed == IR_NONE || apply_uses(m, k, inst, executed, judge);
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

/* The sets where the clone suspends: it may pass an address to the code that runs then. */
static bool walk_to_exit(struct contents *m, const struct check_exit *exit, bool judge)
{
  const struct check_clone *k = m->c->clones[exit->clone];
  (void)walk_block(m, k, exit->block, exit->at / 2, false);
  uint32_t at = check_inst_at(k, exit->block, exit->at);
  apply_skipped(m, k, at, exit->markers);
  return apply_uses(m, k, at, exit->inst, judge);
}

/* Moves what a clone has written to the landings of the suspends at which it returns. */
static bool follow_exits(struct contents *m, const struct check_clone *k)
{
  bool changed = false;
  for (uint32_t e = k->first_exit; e < m->c->exits.count && m->c->exits.items[e].clone == k->number; e++) {
    const struct check_exit *exit = &m->c->exits.items[e];
    if (exit->landing == IR_NONE)
      continue;
    (void)walk_to_exit(m, exit, false);
    uint64_t *into = m->at_suspend + (size_t)exit->landing * m->words;
    changed |= add_bits(m, into, m->work);
    changed |= add_bits(m, into, m->work + m->words);
  }
  return changed;
}

/* At a landing, content on the stack is lost, and content in the frame is there. */
static bool enter_landing(struct contents *m, const struct check_clone *k, uint32_t block)
{
  const uint64_t *at = m->at_suspend + (size_t)k->landing[block] * m->words;
  for (uint32_t w = 0; w < m->words; w++) {
    m->work[w] = at[w] & m->in_frame[w];
    m->work[m->words + w] = at[w] & ~m->in_frame[w];
  }
  bool changed = add_bits(m, m->written[k->number] + (size_t)block * m->words, m->work);
  return add_bits(m, m->lost[k->number] + (size_t)block * m->words, m->work + m->words) || changed;
}

static bool follow_block(struct contents *m, const struct check_clone *k, uint32_t block)
{
  bool changed = false;
  uint32_t count = k->fn.block_start[block + 1] - k->fn.block_start[block];
  if (k->landing[block] != IR_NONE)
    changed |= enter_landing(m, k, block);
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
  m->in_frame = CORO_NEW_ARRAY(c->arena, uint64_t, m->words);
  for (uint32_t i = 0; m->in_frame && i < c->memories.count; i++)
    for (unsigned bit = 0; bit < BITS && m->stack_index[i] != IR_NONE && is_in_frame(m, i); bit++)
      set_bit(m->in_frame, m->stack_index[i] + bit);
  for (uint32_t n = 0; n < c->clone_count && !coro_arena_failed(c->arena); n++) {
    m->written[n] = CORO_NEW_ARRAY(c->arena, uint64_t, (size_t)c->clones[n]->fn.block_count * m->words);
    m->lost[n] = CORO_NEW_ARRAY(c->arena, uint64_t, (size_t)c->clones[n]->fn.block_count * m->words);
  }
  return !coro_arena_failed(c->arena);
}

/* Memory on the stack must not be known to other code while the coroutine is suspended. */
static bool judge_exit(struct contents *m, const struct check_exit *exit)
{
  const struct check_clone *k = m->c->clones[exit->clone];
  if (exit->landing == IR_NONE || !check_is_suspend_landing(m->c, exit->landing))
    return true;
  if (!walk_to_exit(m, exit, true))
    return false;
  for (uint32_t i = 0; i < m->c->memories.count; i++)
    if (m->stack_index[i] != IR_NONE && m->c->memories.items[i].places & PLACE_ON_STACK &&
        has_bit(m->work, m->stack_index[i] + ESCAPED) && !is_kept_on_stack(m->c, m->c->memories.items[i].value))
      return check_refute(m->c, k, k->fn.insts[check_inst_at(k, exit->block, exit->at)],
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

bool memory_check(struct check *c)
{
  struct contents m = {.c = c};
  if (c->verdict == CHECK_REFUTED || !frame_overlap_check_layout(c) || !collect(&m))
    return false;
  if (!m.words)
    return true;
  if (!allocate(&m))
    return false;
  propagate(&m);
  return judge(&m);
}
