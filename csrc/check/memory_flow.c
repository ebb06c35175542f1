/* Transfer functions and fixed point of memory_flow.h. */
#include "check/memory_flow.h"

#include "check/begin.h"
#include "check/frame_access.h"
#include "check/frame_overlap.h"
#include "check/memory_uses.h"
#include "check/verdict.h"

bool memory_flow_is_marked_or_holds_exception(const struct check *c, uint32_t value)
{
  LLVMValueRef memory = ir_value(&c->low->fn, value);
  bool kept = LLVMIsAInstruction(memory) &&
              LLVMGetMetadata(memory, LLVMGetMDKindIDInContext(c->low->context, "coro.outside.frame", 18));
  for (LLVMUseRef use = LLVMGetFirstUse(memory); use && !kept; use = LLVMGetNextUse(use))
    kept = LLVMIsACatchPadInst(LLVMGetUser(use)) != NULL;
  return kept;
}

static void clear_memory_bit(uint64_t *set, uint32_t bit)
{
  set[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

/* Adds the bits of both sets. Returns whether `into` changed. */
static bool add_memory_sets_return_changed(const struct memory_flow *m, uint64_t *into, const uint64_t *from)
{
  uint64_t changed = 0;
  for (uint32_t w = 0; w < 2 * m->words; w++) {
    changed |= from[w] & ~into[w];
    into[w] |= from[w];
  }
  return changed;
}

/* New content. An address that escaped in an earlier lifetime may be used from the start of the next. Returns whether
   other code may write the memory from here on. */
static bool start_content_and_return_may_others_write(struct memory_flow *m, uint32_t memory, uint32_t inst)
{
  uint32_t bit = m->stack_index[memory];
  enum intrin intrin = (enum intrin)m->c->low->shape.intrin[inst];
  clear_memory_bit(m->work, bit + CONTENT_WRITTEN);
  clear_memory_bit(m->work, bit + CONTENT_CLOBBERED);
  clear_memory_bit(m->work + m->words, bit);
  if (intrin_is_lifetime(intrin) || intrin == INTRIN_ALLOCA_FREE || intrin == INTRIN_STACKRESTORE ||
      m->c->low->fn.opcode[inst] == LLVMAlloca)
    clear_memory_bit(m->work, bit + CONTENT_ESCAPED);
  return intrin == INTRIN_LIFETIME_START && memory_flow_has(m->work, bit + CONTENT_KNOWN);
}

static void clobber_frame_bytes(struct memory_flow *m, uint64_t offset, uint64_t size, uint32_t writer);

/* An instruction writes the memory, or other code may write it from here on. */
static void record_memory_write(struct memory_flow *m, uint32_t memory, bool by_other_code)
{
  const struct coro_field *field =
      memory_flow_is_in_frame(m, memory) ? frame_overlap_field(m->c, m->c->memories.items[memory].value) : NULL;
  memory_flow_set(m->work, m->stack_index[memory] + CONTENT_WRITTEN);
  if (by_other_code) {
    memory_flow_set(m->work, m->stack_index[memory] + CONTENT_ESCAPED);
    memory_flow_set(m->work, m->stack_index[memory] + CONTENT_KNOWN);
  }
  if (field)
    clobber_frame_bytes(m, field->offset, field->size, memory);
}

/* The first lifetime marker that was skipped before an instruction; `next` leads to the others. IR_NONE: none. */
static uint32_t first_marker_skipped_before_or_none(const struct check_clone *k, uint32_t inst)
{
  return k->skipped && k->skipped[inst] ? k->skipped[inst] - 1 : IR_NONE;
}

/* Memory on the stack has another address in each activation of a clone. */
static bool check_start_of_lifetime(struct memory_flow *m, const struct check_clone *k, uint32_t inst, uint32_t memory)
{
  bool known = memory_flow_has(m->work + m->words, m->stack_index[memory] + CONTENT_KNOWN);
  if (m->c->low->fn.opcode[inst] == LLVMAlloca && repeated_alloca_has_one_place(m->c, &m->c->memories.items[memory]) &&
      memory_flow_has(m->work, m->stack_index[memory] + CONTENT_ESCAPED))
    return check_unsupported(m->c, "an alloca in a loop with one place, whose address has escaped in an iteration "
                                   "before");
  return m->c->low->shape.intrin[inst] != INTRIN_LIFETIME_START || !known ||
         memory_flow_is_marked_or_holds_exception(m->c, m->c->memories.items[memory].value) ||
         check_refute(m->c, k, NULL, "the address of '%s' escaped before a suspend, but its memory is on the stack",
                      presplit_value_text_for_message(m->c, m->c->memories.items[memory].value));
}

/* Applies the lifetime markers that were skipped before an instruction, of the first `count` of the clone. */
static bool apply_skipped_markers(struct memory_flow *m, const struct check_clone *k, uint32_t inst, uint32_t count,
                                  bool refutes_reads)
{
  for (uint32_t i = first_marker_skipped_before_or_none(k, inst); i != IR_NONE && i < count;
       i = k->markers.items[i].next)
    for (uint32_t u = m->first[k->markers.items[i].inst]; u != IR_NONE; u = m->uses.items[u].next) {
      uint32_t memory = m->uses.items[u].memory;
      if (refutes_reads && !check_start_of_lifetime(m, k, k->markers.items[i].inst, memory))
        return false;
      if (start_content_and_return_may_others_write(m, memory, k->markers.items[i].inst))
        record_memory_write(m, memory, true);
    }
  return true;
}

/* Bytes of the frame are written, by `writer` or (IR_NONE) by the ABI: other content there is lost. */
static void clobber_frame_bytes(struct memory_flow *m, uint64_t offset, uint64_t size, uint32_t writer)
{
  for (uint32_t i = 0; i < m->c->memories.count; i++) {
    const struct coro_field *field = m->stack_index[i] != IR_NONE && memory_flow_is_in_frame(m, i)
                                         ? frame_overlap_field(m->c, m->c->memories.items[i].value)
                                         : NULL;
    if (!field || i == writer || !frame_overlap_intersects(offset, size, field->offset, field->size))
      continue;
    if (memory_flow_has(m->work, m->stack_index[i] + CONTENT_ESCAPED))
      m->overwritten = i;
    if (memory_flow_has(m->work, m->stack_index[i] + CONTENT_WRITTEN))
      memory_flow_set(m->work, m->stack_index[i] + CONTENT_CLOBBERED);
    if (writer != IR_NONE &&
        memory_flow_has(m->work, m->stack_index[i] + CONTENT_ESCAPED)) /* it may be written at any time */
      memory_flow_set(m->work, m->stack_index[writer] + CONTENT_CLOBBERED);
  }
}

static void clobber_by_store(struct memory_flow *m, const struct check_clone *k, uint32_t inst)
{
  const struct check_frame_bytes *stored = k->fn.opcode[inst] == LLVMStore ? check_frame_bytes_or_null(k, inst) : NULL;
  if (stored)
    clobber_frame_bytes(m, stored->offset, stored->size, IR_NONE);
}

/* Where the ramp has not executed llvm.coro.begin, memory that moves into the frame is on the stack:
   check_memory_used_before_begin judges its content. */
static bool is_moving_memory_before_begin(const struct memory_flow *m, const struct check_clone *k, uint32_t inst,
                                          uint32_t memory)
{
  return k->from->clone_kind == CLONE_RAMP && memory_moves_into_frame(m->c, memory) &&
         begin_is_executed_on_no_path(m->c, k, k->fn.inst_block[inst], 2 * check_position(k, inst) + 1);
}

/* The ramp copies content into the frame. Returns whether the instruction does. */
static bool apply_copy_into_frame_if_any(struct memory_flow *m, const struct check_clone *k, uint32_t inst)
{
  uint64_t value = 0;
  uint32_t index = coro_map_get(&k->copied_in, (uint64_t)inst + 1, &value) ? m->c->memory_of[value - 1] : 0;
  if (!index || m->stack_index[index - 1] == IR_NONE)
    return value;
  clear_memory_bit(m->work, m->stack_index[index - 1] + CONTENT_CLOBBERED);
  record_memory_write(m, index - 1, false);
  return true;
}

static bool check_read_is_of_valid_content(struct memory_flow *m, const struct check_clone *k, uint32_t inst,
                                           const struct memory_flow_use *use)
{
  uint32_t bit = m->stack_index[use->memory];
  const char *name = NULL;
  if (memory_flow_has(m->work + m->words, bit))
    name = "it may read what was written to '%s' before a suspend, but the memory is on the stack";
  else if (memory_flow_has(m->work, bit + CONTENT_CLOBBERED))
    name = "it may read '%s', whose bytes in the frame have been overwritten";
  return !name || check_refute(m->c, k, k->fn.insts[inst], name,
                               presplit_value_text_for_message(m->c, m->c->memories.items[use->memory].value));
}

/* Refutes an instruction that overwrote bytes of an alloca whose address has escaped, because other code may read
   them at any time. */
static bool check_no_escaped_content_overwritten(struct memory_flow *m, const struct check_clone *k, uint32_t inst)
{
  return m->overwritten == IR_NONE ||
         check_refute(m->c, k, k->fn.insts[inst], "it overwrites bytes of the frame that belong to '%s'",
                      presplit_value_text_for_message(m->c, m->c->memories.items[m->overwritten].value));
}

/* The presplit instruction that an instruction of the clone executes; IR_NONE: none. */
static inline uint32_t presplit_inst_executed_by_or_none(const struct check *c, const struct check_clone *k,
                                                         uint32_t inst)
{
  struct witness_entry entry = k->entries[inst];
  if (entry.kind == WITNESS_COPY)
    return entry.of;
  if (entry.kind == WITNESS_INLINED && c->bodies[entry.of].from->tail && c->bodies[entry.of].first == inst)
    return c->bodies[entry.of].from->inst;
  return entry.kind == WITNESS_LOWERED ? entry.of : IR_NONE;
}

/* Applies the uses of presplit instruction `executed`, for which the clone has `inst`. */
static bool apply_memory_uses(struct memory_flow *m, const struct check_clone *k, uint32_t inst, uint32_t executed,
                              bool refutes_reads)
{
  for (uint32_t u = m->first[executed]; u != IR_NONE; u = m->uses.items[u].next) {
    const struct memory_flow_use *use = &m->uses.items[u];
    if (is_moving_memory_before_begin(m, k, inst, use->memory))
      continue;
    if (refutes_reads && use->effects & MEMORY_READS && !check_read_is_of_valid_content(m, k, inst, use))
      return false;
    if (refutes_reads && !check_start_of_lifetime(m, k, executed, use->memory))
      return false;
    bool escapes = use->effects & MEMORY_ESCAPES;
    if (use->effects & MEMORY_STARTS)
      escapes |= start_content_and_return_may_others_write(m, use->memory, executed);
    if (escapes || use->effects & MEMORY_WRITES)
      record_memory_write(m, use->memory, escapes);
  }
  /* What it reads must not share bytes with what it writes, in whichever order the uses are listed. */
  for (uint32_t u = refutes_reads ? m->first[executed] : IR_NONE; u != IR_NONE; u = m->uses.items[u].next) {
    const struct memory_flow_use *use = &m->uses.items[u];
    if (use->effects & MEMORY_READS && !is_moving_memory_before_begin(m, k, inst, use->memory) &&
        !check_read_is_of_valid_content(m, k, inst, use))
      return false;
  }
  return !refutes_reads || check_no_escaped_content_overwritten(m, k, inst);
}

/* Applies one instruction of a clone to the sets; with `refutes_reads`, refutes reads of lost content. */
static bool apply_instruction(struct memory_flow *m, const struct check_clone *k, uint32_t inst, bool refutes_reads)
{
  m->overwritten = IR_NONE;
  if (!apply_skipped_markers(m, k, inst, UINT32_MAX, refutes_reads))
    return false;
  if (m->shares && !apply_copy_into_frame_if_any(m, k, inst))
    clobber_by_store(m, k, inst);
  uint32_t executed = presplit_inst_executed_by_or_none(m->c, k, inst);
  if (executed == IR_NONE)
    return !refutes_reads || check_no_escaped_content_overwritten(m, k, inst);
  return apply_memory_uses(m, k, inst, executed, refutes_reads);
}

/* Whether the instruction may change the sets, or is judged. Of the lowering's own code only stores and copies write to
   the frame. */
static bool is_memory_flow_step(const struct memory_flow *m, const struct check_clone *k, uint32_t inst)
{
  unsigned char opcode = k->fn.opcode[inst];
  if (m->shares && k->entries[inst].kind != WITNESS_COPY && (opcode == LLVMStore || opcode == LLVMCall))
    return true;
  uint32_t executed = presplit_inst_executed_by_or_none(m->c, k, inst);
  return (executed != IR_NONE && m->first[executed] != IR_NONE) ||
         first_marker_skipped_before_or_none(k, inst) != IR_NONE;
}

static bool find_memory_flow_steps(struct memory_flow *m, const struct check_clone *k)
{
  struct memory_flow_steps *steps = &m->steps[k->number];
  steps->start = CORO_NEW_ARRAY(m->c->arena, uint32_t, k->fn.block_count + 1);
  steps->pending = CORO_NEW_ARRAY(m->c->arena, bool, k->fn.block_count);
  steps->visited = CORO_NEW_ARRAY(m->c->arena, bool, k->fn.block_count);
  if (!steps->start || !steps->pending || !steps->visited)
    return false;
  for (uint32_t b = 0; b < k->fn.block_count; b++) {
    for (uint32_t i = k->fn.block_start[b]; i < k->fn.block_start[b + 1]; i++)
      if (is_memory_flow_step(m, k, i) && !coro_vec_push(m->c->arena, &steps->insts, i))
        return false;
    steps->start[b + 1] = steps->insts.count;
    /* The sets are empty at first, and a block without steps does not change them. */
    steps->pending[b] = memory_flow_has_steps(m, k, b) && k->in[b].where != WHERE_LEFT;
  }
  for (uint32_t e = k->first_exit; e < m->c->exits.count && m->c->exits.items[e].clone == k->number; e++)
    steps->pending[m->c->exits.items[e].block] = k->in[m->c->exits.items[e].block].where != WHERE_LEFT;
  return true;
}

bool memory_flow_compute_sets_before(struct memory_flow *m, const struct check_clone *k, uint32_t block, uint32_t to,
                                     bool refutes_reads)
{
  const struct memory_flow_steps *steps = &m->steps[k->number];
  uint32_t end = k->fn.block_start[block] + to;
  const uint64_t *sets = memory_flow_sets_at_block(m, k, block);
  for (uint32_t w = 0; w < 2 * m->words; w++)
    m->work[w] = sets[w];
  for (uint32_t s = steps->start[block]; s < steps->start[block + 1] && steps->insts.items[s] < end; s++)
    if (!apply_instruction(m, k, steps->insts.items[s], refutes_reads))
      return false;
  return true;
}

/* With `refutes_reads`, the call at the exit must not read lost content. The block itself is checked elsewhere. */
bool memory_flow_walk_to_exit(struct memory_flow *m, const struct check_exit *exit, bool refutes_reads)
{
  const struct check_clone *k = m->c->clones[exit->clone];
  (void)memory_flow_compute_sets_before(m, k, exit->block, exit->at / 2, false);
  m->overwritten = IR_NONE; /* judged with the block */
  uint32_t at = check_inst_at(k, exit->block, exit->at);
  (void)apply_skipped_markers(m, k, at, exit->markers, false); /* judged with the instruction */
  return apply_memory_uses(m, k, at, exit->inst, refutes_reads);
}

/* Moves what a clone has written to the landings of the suspends at which it returns in a visited block. */
static bool propagate_to_landings_return_changed(struct memory_flow *m, const struct check_clone *k)
{
  bool changed = false;
  for (uint32_t e = k->first_exit; e < m->c->exits.count && m->c->exits.items[e].clone == k->number; e++) {
    const struct check_exit *exit = &m->c->exits.items[e];
    if (exit->landing == IR_NONE || !m->steps[k->number].visited[exit->block])
      continue;
    (void)memory_flow_walk_to_exit(m, exit, false);
    uint64_t *into = m->at_suspend + (size_t)exit->landing * m->words;
    for (uint32_t w = 0; w < m->words; w++) {
      uint64_t content = m->work[w] | m->work[m->words + w];
      changed |= (content & ~into[w]) != 0;
      into[w] |= content;
    }
  }
  return changed;
}

/* At a landing, content on the stack is lost, and content in the frame is there. */
static bool start_content_at_landing_return_changed(struct memory_flow *m, const struct check_clone *k, uint32_t block)
{
  const uint64_t *at = m->at_suspend + (size_t)k->landing[block] * m->words;
  for (uint32_t w = 0; w < m->words; w++) {
    m->work[w] = at[w] & m->in_frame[w];
    m->work[m->words + w] = at[w] & ~m->in_frame[w];
  }
  return add_memory_sets_return_changed(m, memory_flow_sets_at_block(m, k, block), m->work);
}

/* Moves the sets at the end of a block to its successors. */
static void propagate_to_successors_and_mark_pending(struct memory_flow *m, const struct check_clone *k, uint32_t block)
{
  const uint64_t *sets = memory_flow_sets_at_block(m, k, block);
  if (memory_flow_has_steps(m, k, block)) {
    (void)memory_flow_compute_sets_before(m, k, block, k->fn.block_start[block + 1] - k->fn.block_start[block], false);
    sets = m->work;
  }
  for (uint32_t s = k->graph.succ_start[block]; s < k->graph.succ_start[block + 1]; s++)
    m->steps[k->number].pending[k->graph.succ[s]] |=
        add_memory_sets_return_changed(m, memory_flow_sets_at_block(m, k, k->graph.succ[s]), sets);
}

/* Visits the blocks of a clone at whose starts the sets have changed. Returns whether there are any. */
static bool propagate_in_clone_return_changed(struct memory_flow *m, const struct check_clone *k)
{
  struct memory_flow_steps *steps = &m->steps[k->number];
  bool visits = false;
  for (uint32_t i = 0; i < k->rpo.count; i++) {
    uint32_t block = k->rpo.order[i];
    if (k->landing[block] != IR_NONE && start_content_at_landing_return_changed(m, k, block))
      steps->pending[block] = true;
    steps->visited[block] = steps->pending[block];
    if (!steps->pending[block] || k->in[block].where == WHERE_LEFT)
      continue;
    steps->pending[block] = false;
    visits = true;
    propagate_to_successors_and_mark_pending(m, k, block);
  }
  return propagate_to_landings_return_changed(m, k) || visits;
}

/* The caller has written the memory of byval-like arguments. */
static void mark_byval_arguments_written(struct memory_flow *m)
{
  for (uint32_t n = 0; n < m->c->clone_count; n++)
    for (uint32_t i = 0; i < m->c->memories.count && m->c->clones[n]->from->clone_kind == CLONE_RAMP; i++)
      if (m->stack_index[i] != IR_NONE && m->c->memories.items[i].value < m->c->low->fn.arg_count) {
        m->steps[n].pending[m->c->clones[n]->rpo.order[0]] = true;
        memory_flow_set(memory_flow_sets_at_block(m, m->c->clones[n], m->c->clones[n]->rpo.order[0]),
                        m->stack_index[i]);
      }
}

bool memory_flow_propagate(struct memory_flow *m)
{
  m->steps = CORO_NEW_ARRAY(m->c->arena, struct memory_flow_steps, m->c->clone_count);
  for (uint32_t n = 0; n < m->c->clone_count; n++)
    if (!m->steps || !find_memory_flow_steps(m, m->c->clones[n]))
      return false;
  mark_byval_arguments_written(m);
  for (bool visits = true; visits;) {
    visits = false;
    for (uint32_t n = 0; n < m->c->clone_count; n++)
      visits |= propagate_in_clone_return_changed(m, m->c->clones[n]);
  }
  return true;
}

void memory_flow_apply_inst(struct memory_flow *m, const struct check_clone *k, uint32_t inst)
{
  (void)apply_instruction(m, k, inst, false);
}
