/* Forward dataflow analysis over all clones: finds where the cell of a clone and the frame field hold the current
   content of each swifterror value. Landings start with the meet over the suspends before them.
   Requires: numbered clones; for the check, proved claims. */
#include "check/swifterror.h"

#include "check/frame_overlap.h"
#include "check/suspended.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "transform/swifterror.h"

/* Content of a cell or field: a lattice from top to bottom. */
enum content {
  NOT_REACHED,
  CURRENT, /* the content of the presplit value */
  UNWOUND, /* undefined, because a call with the value as argument has unwound */
  FRAME_AT_ENTRY, /* the content of the field at the entry of the clone */
  STALE
};

struct cell_state {
  uint8_t cell, field; /* each an enum content */
};

struct flow {
  struct check *c;
  uint32_t errors;
  struct cell_state **in; /* by clone: by block and error */
  uint8_t *at_landing; /* an enum content of the field, by landing and error */
  struct cell_state *work;
};

/* ---- Cells ---- */

/* The number of a swifterror value; IR_NONE: another value. */
static uint32_t swifterror_number_of_value_or_none(const struct check *c, uint32_t value)
{
  for (uint32_t e = 0; e < c->errors.count; e++)
    if (c->errors.items[e] == value)
      return e;
  return IR_NONE;
}

bool is_swifterror_value(const struct check *c, uint32_t value)
{
  return swifterror_number_of_value_or_none(c, value) != IR_NONE;
}

/* Whether callers of each clone pass the content in a swifterror parameter. */
static bool is_content_in_clone_parameter(const struct check *c, const struct check_clone *k, uint32_t value)
{
  return value < c->low->fn.arg_count && (k->from->clone_kind == CLONE_RAMP || c->low->passes_error);
}

/* The cell for the content in a clone; NULL: it has none. */
static LLVMValueRef find_only_cell_or_null(struct check *c, const struct check_clone *k, uint32_t value)
{
  LLVMValueRef cell = NULL;
  if (is_content_in_clone_parameter(c, k, value))
    return k->from->clone_kind == CLONE_RAMP ? LLVMGetParam(k->from->function, value)
                                             : ir_swifterror_param(k->from->function);
  for (uint32_t i = 0; i < k->fn.inst_count; i++) {
    if (k->entries[i].kind != WITNESS_ALLOCA || k->entries[i].of != value || k->fn.opcode[i] != LLVMAlloca)
      continue;
    if (cell)
      check_refute(c, k, k->fn.insts[i], "the clone has two allocas for the swifterror value '%s'",
                   presplit_value_text_for_message(c, value));
    cell = k->fn.insts[i];
  }
  return cell;
}

static bool add_swifterror_value(struct check *c, uint32_t value)
{
  uint32_t inst = ir_inst_of_value(&c->low->fn, value), field = c->low->frame.of_value[value];
  if (inst != IR_NONE && c->low->fn.inst_block[inst])
    return check_unsupported(c, "a swifterror alloca outside of the entry block");
  if (field != IR_NONE && frame_overlap_is_shared(c, field, false))
    return check_unsupported(c, "a swifterror value that shares bytes of the frame");
  return coro_vec_push(c->arena, &c->errors, value);
}

bool find_swifterror_values(struct check *c)
{
  const struct ir_fn *fn = &c->low->fn;
  for (uint32_t a = 0; a < fn->arg_count; a++)
    if (ir_is_swifterror(ir_value(fn, a)) && !add_swifterror_value(c, a))
      return false;
  for (uint32_t i = 0; i < fn->inst_count; i++)
    if (fn->opcode[i] == LLVMAlloca && ir_is_swifterror(fn->insts[i]) &&
        !add_swifterror_value(c, ir_value_of_inst(fn, i)))
      return false;
  for (uint32_t n = 0; n < c->clone_count && c->errors.count; n++) {
    LLVMValueRef *cells = CORO_NEW_ARRAY(c->arena, LLVMValueRef, c->errors.count);
    for (uint32_t e = 0; e < c->errors.count && cells; e++)
      cells[e] = find_only_cell_or_null(c, c->clones[n], c->errors.items[e]);
    c->clones[n]->error_cells = cells;
    if (!cells)
      return false;
  }
  return c->verdict == CHECK_UNANSWERED;
}

bool swifterror_is_cell_of_value(const struct check *c, const struct check_clone *k, LLVMValueRef carrier,
                                 uint32_t value)
{
  return carrier == k->error_cells[swifterror_number_of_value_or_none(c, value)];
}

static uint32_t error_with_cell_at_or_none(const struct check *c, const struct check_clone *k, LLVMValueRef address)
{
  for (uint32_t e = 0; e < c->errors.count; e++)
    if (k->error_cells[e] == address)
      return e;
  return IR_NONE;
}

bool swifterror_is_address_of_cell(const struct check *c, const struct check_clone *k, LLVMValueRef address)
{
  return error_with_cell_at_or_none(c, k, address) != IR_NONE;
}

bool swifterror_is_aligned_pointer_load(const struct check *c, LLVMValueRef load)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(c->low->context, 0);
  return LLVMTypeOf(load) == pointer && edit_alignment(load) <= LLVMABIAlignmentOfType(c->low->layout, pointer);
}

/* ---- Copies between cells and fields ---- */

/* The swifterror value whose field is at the address; IR_NONE: none. */
static uint32_t error_with_field_at_or_none(const struct check *c, const struct check_clone *k, LLVMValueRef address)
{
  uint64_t offset;
  if (!check_is_frame_address(k, address, &offset))
    return IR_NONE;
  for (uint32_t e = 0; e < c->errors.count; e++) {
    uint32_t field = c->low->frame.of_value[c->errors.items[e]];
    if (field != IR_NONE && c->low->frame.fields[field].offset == offset)
      return e;
  }
  return IR_NONE;
}

/* The address of the load right before the store whose result is stored; NULL: there is none. */
static LLVMValueRef address_of_load_before_store_or_null(const struct check *c, LLVMValueRef store)
{
  LLVMValueRef load = LLVMGetOperand(store, STORE_VALUE);
  bool copies = LLVMIsALoadInst(load) && LLVMGetPreviousInstruction(store) == load &&
                LLVMTypeOf(load) == LLVMPointerTypeInContext(c->low->context, 0);
  return copies ? LLVMGetOperand(load, LOAD_ADDRESS) : NULL;
}

bool is_store_of_swifterror_to_frame(const struct check_walk *w, uint32_t inst)
{
  LLVMValueRef store = w->k->fn.insts[inst], from = address_of_load_before_store_or_null(w->c, store);
  uint32_t error = error_with_field_at_or_none(w->c, w->k, LLVMGetOperand(store, STORE_ADDRESS));
  return error != IR_NONE && from && error_with_cell_at_or_none(w->c, w->k, from) == error;
}

/* ---- Flow ---- */

static uint8_t meet_cell_states(uint8_t a, uint8_t b)
{
  if (a == NOT_REACHED || a == b)
    return b;
  if (b == NOT_REACHED)
    return a;
  return a + b == CURRENT + UNWOUND ? UNWOUND : STALE;
}

static struct cell_state *cell_states_at_block(const struct flow *f, const struct check_clone *k, uint32_t block)
{
  return f->in[k->number] + (size_t)block * f->errors;
}

/* The content of an unwritten alloca is undefined, so any content of the field is equal to it. */
static struct cell_state cell_state_at_entry(const struct check *c, const struct check_clone *k, uint32_t value)
{
  if (k->from->clone_kind != CLONE_RAMP)
    return (struct cell_state){is_content_in_clone_parameter(c, k, value) ? CURRENT : STALE, FRAME_AT_ENTRY};
  return (struct cell_state){CURRENT, value < c->low->fn.arg_count ? STALE : CURRENT};
}

/* A copied instruction that may read or write the content; a call does both. */
static bool apply_copied_access(struct flow *f, const struct check_clone *k, uint32_t inst, bool refutes_reads)
{
  const struct ir_fn *fn = &f->c->low->fn;
  uint32_t presplit = k->entries[inst].of;
  unsigned char opcode = fn->opcode[presplit];
  if (opcode != LLVMLoad && opcode != LLVMStore && opcode != LLVMCall && opcode != LLVMInvoke)
    return true;
  for (uint32_t o = fn->operand_start[presplit]; o < fn->operand_start[presplit + 1]; o++) {
    uint32_t e = fn->operands[o] == IR_NONE ? IR_NONE : swifterror_number_of_value_or_none(f->c, fn->operands[o]);
    if (e == IR_NONE)
      continue;
    if (refutes_reads && opcode != LLVMStore && f->work[e].cell == STALE)
      return check_refute(f->c, k, k->fn.insts[inst], "it may read stale content of the swifterror value '%s'",
                          presplit_value_text_for_message(f->c, f->c->errors.items[e]));
    if (opcode != LLVMLoad)
      f->work[e] = (struct cell_state){CURRENT, STALE};
  }
  return true;
}

static void apply_lowering_store(struct flow *f, const struct check_clone *k, LLVMValueRef store)
{
  LLVMValueRef to = LLVMGetOperand(store, STORE_ADDRESS), from = address_of_load_before_store_or_null(f->c, store);
  uint32_t cell = error_with_cell_at_or_none(f->c, k, to),
           field = cell == IR_NONE ? error_with_field_at_or_none(f->c, k, to) : IR_NONE;
  if (cell != IR_NONE)
    f->work[cell].cell = from && error_with_field_at_or_none(f->c, k, from) == cell ? f->work[cell].field : STALE;
  if (field != IR_NONE)
    f->work[field].field = from && error_with_cell_at_or_none(f->c, k, from) == field ? f->work[field].cell : STALE;
}

/* The states at the start of a block, or (with `to`) before the instruction at that position. */
static bool compute_cell_states_before(struct flow *f, const struct check_clone *k, uint32_t block, uint32_t to,
                                       bool refutes_reads)
{
  uint32_t first = k->fn.block_start[block], landing = k->landing[block];
  for (uint32_t e = 0; e < f->errors; e++) {
    struct cell_state state = cell_states_at_block(f, k, block)[e];
    uint8_t frame = landing == IR_NONE ? FRAME_AT_ENTRY : f->at_landing[(size_t)landing * f->errors + e];
    f->work[e] = (struct cell_state){state.cell == FRAME_AT_ENTRY ? frame : state.cell,
                                     state.field == FRAME_AT_ENTRY ? frame : state.field};
  }
  for (uint32_t i = first; i < first + to; i++) {
    enum witness_kind kind = k->entries[i].kind;
    if ((kind == WITNESS_COPY || kind == WITNESS_LOWERED) && !apply_copied_access(f, k, i, refutes_reads))
      return false;
    if (kind != WITNESS_COPY && k->fn.opcode[i] == LLVMStore)
      apply_lowering_store(f, k, k->fn.insts[i]);
  }
  return true;
}

static bool meet_into_state_return_changed(struct cell_state *into, const struct cell_state *from)
{
  struct cell_state both = {meet_cell_states(into->cell, from->cell), meet_cell_states(into->field, from->field)};
  bool changed = both.cell != into->cell || both.field != into->field;
  *into = both;
  return changed;
}

/* Whether the edge is the unwind edge of a call with the value as argument. */
static bool is_unwind_edge_of_call_with_cell(const struct check_clone *k, uint32_t block, uint32_t to, uint32_t error)
{
  LLVMValueRef invoke = LLVMGetBasicBlockTerminator(k->fn.blocks[block]);
  if (!LLVMIsAInvokeInst(invoke) || LLVMGetUnwindDest(invoke) != k->fn.blocks[to])
    return false;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(invoke); i++)
    if (LLVMGetOperand(invoke, i) == k->error_cells[error])
      return true;
  return false;
}

/* The state at the start of a successor. After a suspend, other code may access the frame. */
static struct cell_state cell_state_on_edge(const struct flow *f, const struct check_clone *k, uint32_t block,
                                            uint32_t to, uint32_t error)
{
  struct cell_state state = f->work[error];
  if (is_unwind_edge_of_call_with_cell(k, block, to, error))
    state = (struct cell_state){UNWOUND, UNWOUND};
  if (suspended_is_always_after(k, block))
    state.field = NOT_REACHED;
  return state;
}

static bool propagate_cells_to_successors_return_changed(struct flow *f, const struct check_clone *k, uint32_t block)
{
  bool changed = false;
  (void)compute_cell_states_before(f, k, block, k->fn.block_start[block + 1] - k->fn.block_start[block], false);
  for (uint32_t s = k->graph.succ_start[block]; s < k->graph.succ_start[block + 1]; s++)
    for (uint32_t e = 0; e < f->errors; e++) {
      uint32_t to = k->graph.succ[s];
      struct cell_state state = cell_state_on_edge(f, k, block, to, e);
      changed |= meet_into_state_return_changed(&cell_states_at_block(f, k, to)[e], &state);
    }
  return changed;
}

/* Merges the cells' states at each exit of a clone into those at the exit's landing. Returns whether any changed. */
static bool propagate_cells_to_landings_return_changed(struct flow *f, const struct check_clone *k)
{
  bool changed = false;
  for (uint32_t i = k->first_exit; i < f->c->exits.count && f->c->exits.items[i].clone == k->number; i++) {
    const struct check_exit *exit = &f->c->exits.items[i];
    if (exit->landing == IR_NONE || exit->untaken)
      continue;
    (void)compute_cell_states_before(f, k, exit->block, exit->at / 2, false);
    for (uint32_t e = 0; e < f->errors; e++) {
      uint8_t *at = &f->at_landing[(size_t)exit->landing * f->errors + e],
              content = meet_cell_states(*at, f->work[e].field);
      changed |= content != *at;
      *at = content;
    }
  }
  return changed;
}

static void propagate_cell_states(struct flow *f)
{
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t n = 0; n < f->c->clone_count; n++) {
      const struct check_clone *k = f->c->clones[n];
      for (uint32_t i = 0; i < k->rpo.count; i++)
        if (k->in[k->rpo.order[i]].where != WHERE_LEFT)
          changed |= propagate_cells_to_successors_return_changed(f, k, k->rpo.order[i]);
      changed |= propagate_cells_to_landings_return_changed(f, k);
    }
  }
}

static bool allocate_cell_states(struct flow *f)
{
  struct check *c = f->c;
  f->in = CORO_NEW_ARRAY(c->arena, struct cell_state *, c->clone_count);
  f->at_landing = CORO_NEW_ARRAY(c->arena, uint8_t, (size_t)c->low->shape.suspend_count * f->errors + 1);
  f->work = CORO_NEW_ARRAY(c->arena, struct cell_state, f->errors);
  for (uint32_t n = 0; f->in && n < c->clone_count; n++) {
    const struct check_clone *k = c->clones[n];
    f->in[n] = CORO_NEW_ARRAY(c->arena, struct cell_state, (size_t)k->fn.block_count * f->errors);
    for (uint32_t e = 0; e < f->errors && f->in[n]; e++)
      cell_states_at_block(f, k, k->rpo.order[0])[e] = cell_state_at_entry(c, k, c->errors.items[e]);
  }
  return !coro_arena_failed(c->arena);
}

bool check_swifterror_accesses(struct check *c)
{
  struct flow f = {.c = c, .errors = c->errors.count};
  if (!f.errors)
    return true;
  if (!allocate_cell_states(&f))
    return false;
  propagate_cell_states(&f);
  for (uint32_t n = 0; n < c->clone_count; n++) {
    const struct check_clone *k = c->clones[n];
    for (uint32_t b = 0; b < k->fn.block_count; b++)
      if (k->in[b].where != WHERE_LEFT &&
          !compute_cell_states_before(&f, k, b, k->fn.block_start[b + 1] - k->fn.block_start[b], true))
        return false;
  }
  return true;
}
