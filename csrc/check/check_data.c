/* Numbers the blocks and instructions of the clones. */
#include "check/check_data.h"

#include "graph/graph.h"
#include "ir/edit.h"
#include "ir/number.h"
#include "ir/operand.h"

enum { MAX_ARRAYS = 8 }; /* clones with an array of all presplit instructions */

static bool build_graph(struct check_clone *k, struct coro_arena *arena)
{
  uint32_t entry = ir_block_id(&k->fn, k->from->entry);
  return ir_build_block_graph(&k->graph, arena, &k->fn) &&
         graph_compute_reverse_postorder(&k->rpo, arena, &k->graph, entry);
}

bool check_dominates(const struct check *c, const struct check_clone *k, uint32_t a, uint32_t b)
{
  return (k->dom->idom || graph_compute_dominators(k->dom, c->arena, &k->graph, &k->rpo)) &&
         graph_dominates(k->dom, a, b);
}

static bool allocate_clone_maps(struct check_clone *k, struct coro_arena *arena)
{
  uint32_t blocks = k->fn.block_count;
  k->entries = coro_arena_alloc(arena, k->fn.inst_count * sizeof *k->entries);
  k->dom = CORO_NEW(arena, struct graph_dom);
  k->address_of = CORO_NEW_ARRAY(arena, uint32_t, k->fn.inst_count);
  k->frame_bytes_of = CORO_NEW_ARRAY(arena, uint32_t, k->fn.inst_count);
  k->node = coro_arena_alloc(arena, blocks * sizeof *k->node);
  k->in = coro_arena_alloc(arena, blocks * sizeof *k->in);
  k->out = coro_arena_alloc(arena, blocks * sizeof *k->out);
  k->landing = coro_arena_alloc(arena, blocks * sizeof *k->landing);
  k->header_in = coro_arena_alloc(arena, blocks * sizeof *k->header_in);
  k->header_out = coro_arena_alloc(arena, blocks * sizeof *k->header_out);
  coro_map_init(&k->event_of, arena);
  coro_map_init(&k->events_in, arena);
  coro_map_init(&k->constants, arena);
  coro_map_init(&k->visited, arena);
  coro_map_init(&k->suspends_in, arena);
  coro_map_init(&k->stores, arena);
  coro_map_init(&k->copied_in, arena);
  coro_map_init(&k->list_accesses, arena);
  k->list_start = IR_NONE;
  return !coro_arena_failed(arena);
}

struct check_clone *check_number_clone(struct check *c, const struct witness_clone *from, uint32_t number)
{
  struct check_clone *k = CORO_NEW(c->arena, struct check_clone);
  if (!k)
    return NULL;
  k->from = from;
  k->number = number;
  struct ir_labels labels;
  if (!ir_number_reachable_with_phi_operands(&k->fn, c->arena, from->function, from->entry, &c->witness->entries,
                                             &labels) ||
      !allocate_clone_maps(k, c->arena) || !build_graph(k, c->arena))
    return NULL;
  if (c->witness->clones.count <= MAX_ARRAYS) {
    k->event_array = CORO_NEW_ARRAY(c->arena, uint32_t, c->low->fn.inst_count);
    k->carrier_array = CORO_NEW_ARRAY(c->arena, LLVMValueRef, c->low->fn.inst_count);
  }
  for (uint32_t i = 0; i < k->fn.inst_count; i++) {
    k->entries[i] = witness_entry_of_label(labels.of_inst[i]);
    if (k->entries[i].kind == WITNESS_COPY && k->carrier_array && k->fn.opcode[i] != LLVMAlloca)
      k->carrier_array[k->entries[i].of] = k->fn.insts[i];
  }
  for (uint32_t b = 0; b < k->fn.block_count; b++) {
    k->node[b] = witness_node_of_label(labels.of_block[b]);
    k->landing[b] = IR_NONE;
    k->in[b].where = k->out[b].where = WHERE_UNKNOWN;
    k->header_in[b] = check_header_of(HEADER_UNSET, SUSPENDED_UNSET);
    k->header_out[b] = check_header_of(HEADER_SAME, SUSPENDED_SAME);
  }
  return k;
}

/* ---- Events ---- */

uint32_t check_last_added_event_or_none(const struct check_clone *k, uint32_t inst)
{
  uint64_t number = 0;
  if (inst == IR_NONE)
    return IR_NONE;
  if (k->event_array)
    number = k->event_array[inst];
  else
    coro_map_get(&k->event_of, (uint64_t)inst + 1, &number);
  return number ? (uint32_t)(number - 1) : IR_NONE;
}

bool check_find_only_event(const struct check_clone *k, uint32_t inst, struct check_event *event)
{
  uint32_t first = check_last_added_event_or_none(k, inst);
  if (first == IR_NONE)
    return false;
  *event = k->events.items[first];
  return event->next == IR_NONE;
}

bool check_find_only_event_to_recheck(struct check_clone *k, struct coro_arena *arena, uint32_t inst,
                                      struct check_event *event)
{
  return check_find_only_event(k, inst, event) && coro_vec_push(arena, &k->single_events, inst);
}

/* The number of an event in the block; `next_in_block` leads to the others there. IR_NONE: none. */
static uint32_t some_event_in_block_or_none(const struct check_clone *k, uint32_t inst, uint32_t block)
{
  uint32_t first = check_last_added_event_or_none(k, inst);
  uint64_t number = 0;
  if (first == IR_NONE)
    return IR_NONE;
  if (k->events.items[first].next == IR_NONE)
    return k->events.items[first].block == block ? first : IR_NONE;
  coro_map_get(&k->events_in, coro_map_pair(inst, block), &number);
  return number ? (uint32_t)(number - 1) : IR_NONE;
}

bool check_find_last_event_up_to(const struct check_clone *k, uint32_t inst, uint32_t block, uint32_t at,
                                 struct check_event *event)
{
  bool found = false;
  for (uint32_t e = some_event_in_block_or_none(k, inst, block); e != IR_NONE; e = k->events.items[e].next_in_block)
    if (k->events.items[e].at <= at && (!found || k->events.items[e].at > event->at)) {
      *event = k->events.items[e];
      found = true;
    }
  return found;
}

bool check_add_event_to_others(struct check_clone *k, struct coro_arena *arena, uint32_t inst, uint32_t block,
                               uint32_t at)
{
  uint32_t first = check_last_added_event_or_none(k, inst), number = k->events.count;
  uint32_t here = first == IR_NONE ? IR_NONE : some_event_in_block_or_none(k, inst, block);
  for (uint32_t e = here; e != IR_NONE; e = k->events.items[e].next_in_block)
    if (k->events.items[e].at == at)
      return k->events.items[first].next == IR_NONE;
  if (!coro_vec_push(arena, &k->events, ((struct check_event){inst, block, at, first, here})))
    return true;
  if (first != IR_NONE && k->events.items[first].next == IR_NONE)
    (void)coro_map_put(&k->events_in, coro_map_pair(inst, k->events.items[first].block), first + 1);
  if (first != IR_NONE)
    (void)coro_map_put(&k->events_in, coro_map_pair(inst, block), number + 1);
  if (k->event_array)
    k->event_array[inst] = number + 1;
  else
    (void)coro_map_put(&k->event_of, (uint64_t)inst + 1, number + 1);
  return first == IR_NONE;
}

/* ---- Accesses ---- */

LLVMTypeRef check_single_alloca_type(LLVMValueRef alloca)
{
  uint64_t count;
  return edit_read_integer_constant(LLVMGetOperand(alloca, ALLOCA_COUNT), &count) && count == 1
             ? LLVMGetAllocatedType(alloca)
             : NULL;
}

bool check_find_access_size(const struct check *c, const struct check_clone *k, uint32_t inst, uint64_t *bytes)
{
  const struct check_frame_bytes *known = check_frame_bytes_or_null(k, inst);
  LLVMValueRef value = k->fn.insts[inst];
  if (known) {
    *bytes = known->size;
    return true;
  }
  LLVMTypeRef type = LLVMTypeOf(k->fn.opcode[inst] == LLVMStore ? LLVMGetOperand(value, STORE_VALUE) : value);
  return ir_size_of(c->low->sizes, type, bytes);
}

/* The address of a step of added code; NULL: not a step. */
static LLVMValueRef base_of_added_address_step_or_null(const struct check_clone *k, LLVMValueRef address,
                                                       uint64_t *offset)
{
  uint32_t inst = ir_inst(&k->fn, address);
  if (inst == IR_NONE || k->entries[inst].kind != WITNESS_NONE)
    return NULL;
  if (k->fn.opcode[inst] == LLVMAddrSpaceCast)
    return LLVMGetOperand(address, ADDRESS_BASE);
  if (k->fn.opcode[inst] != LLVMGetElementPtr || LLVMGetNumOperands(address) != 2)
    return NULL;
  LLVMTypeRef element = LLVMGetGEPSourceElementType(address);
  LLVMValueRef index = LLVMGetOperand(address, FIRST_INDEX);
  if (LLVMGetTypeKind(element) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(element) != 8 ||
      !LLVMIsAConstantInt(index))
    return NULL;
  *offset += (uint64_t)LLVMConstIntGetSExtValue(index);
  return LLVMGetOperand(address, ADDRESS_BASE);
}

bool check_is_constant_offset_from(const struct check_clone *k, LLVMValueRef base, LLVMValueRef address,
                                   uint64_t *offset)
{
  *offset = 0;
  for (unsigned steps = 0; address && steps < 8; steps++) {
    if (address == base)
      return true;
    address = base_of_added_address_step_or_null(k, address, offset);
  }
  return false;
}

bool check_is_frame_address(const struct check_clone *k, LLVMValueRef address, uint64_t *offset)
{
  return check_is_constant_offset_from(k, k->from->frame, address, offset);
}

bool check_accesses_frame(const struct check_clone *k, uint32_t inst, uint64_t *offset)
{
  const struct check_frame_bytes *known = check_frame_bytes_or_null(k, inst);
  if (known) {
    *offset = known->offset;
    return true;
  }
  unsigned address = k->fn.opcode[inst] == LLVMStore ? STORE_ADDRESS : LOAD_ADDRESS;
  return check_is_frame_address(k, LLVMGetOperand(k->fn.insts[inst], address), offset);
}
