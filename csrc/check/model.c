/* Numbers the clones of a check.
   Requires: a witness. */
#include "check/model.h"

#include "ir/operand.h"

enum { MAX_ARRAYS = 8 }; /* clones with an array of all presplit instructions */

static bool build_graph(struct check_clone *k, struct coro_arena *arena)
{
  CORO_VEC(struct graph_edge) edges = {0};
  for (uint32_t b = 0; b < k->fn.block_count; b++) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(k->fn.blocks[b]);
    unsigned count = LLVMGetNumSuccessors(terminator);
    for (unsigned i = 0; i < count; i++) {
      uint32_t to = ir_id(&k->fn, LLVMBasicBlockAsValue(LLVMGetSuccessor(terminator, i))) & ~IR_BLOCK;
      if (!coro_vec_push(arena, &edges, ((struct graph_edge){b, to})))
        return false;
    }
  }
  uint32_t entry = ir_id(&k->fn, LLVMBasicBlockAsValue(k->from->entry)) & ~IR_BLOCK;
  return graph_build(&k->graph, arena, k->fn.block_count, edges.items, edges.count) &&
         graph_rpo(&k->rpo, arena, &k->graph, entry) && graph_dom(&k->dom, arena, &k->graph, &k->rpo);
}

static bool allocate(struct check_clone *k, struct coro_arena *arena)
{
  uint32_t blocks = k->fn.block_count;
  k->entries = CORO_NEW_ARRAY(arena, struct witness_entry, k->fn.inst_count);
  k->in = CORO_NEW_ARRAY(arena, struct check_state, blocks);
  k->out = CORO_NEW_ARRAY(arena, struct check_state, blocks);
  k->landing = CORO_NEW_ARRAY(arena, uint32_t, blocks);
  k->header_in = CORO_NEW_ARRAY(arena, struct check_header, blocks);
  k->header_out = CORO_NEW_ARRAY(arena, struct check_header, blocks);
  coro_map_init(&k->events, arena);
  coro_map_init(&k->constants, arena);
  coro_map_init(&k->visited, arena);
  coro_map_init(&k->stores, arena);
  coro_map_init(&k->skipped, arena);
  return !coro_arena_failed(arena);
}

struct check_clone *check_number_clone(struct check *c, const struct witness_clone *from, uint32_t number)
{
  struct check_clone *k = CORO_NEW(c->arena, struct check_clone);
  if (!k)
    return NULL;
  k->from = from;
  k->number = number;
  if (!ir_number_from(&k->fn, c->arena, from->function, from->entry) || !allocate(k, c->arena) ||
      !build_graph(k, c->arena))
    return NULL;
  if (c->witness->clones.count <= MAX_ARRAYS)
    k->event_array = CORO_NEW_ARRAY(c->arena, uint64_t, c->low->fn.inst_count);
  for (uint32_t i = 0; i < k->fn.inst_count; i++)
    k->entries[i] = witness_of(c->witness, k->fn.insts[i]);
  for (uint32_t b = 0; b < k->fn.block_count; b++) {
    k->landing[b] = IR_NONE;
    k->header_in[b] =
        (struct check_header){HEADER_UNSET, HEADER_UNSET, HEADER_UNSET, HEADER_UNSET, {GONE_UNSET, IR_NONE}};
    k->header_out[b] = (struct check_header){HEADER_SAME, HEADER_SAME, HEADER_SAME, HEADER_SAME, {GONE_SAME, IR_NONE}};
  }
  return k;
}

bool check_event_of(const struct check_clone *k, uint32_t inst, struct check_event *event)
{
  uint64_t packed = 0;
  if (inst == IR_NONE)
    return false;
  if (k->event_array)
    packed = k->event_array[inst];
  else
    coro_map_get(&k->events, (uint64_t)inst + 1, &packed);
  *event = (struct check_event){packed >> 63 ? IR_NONE : (uint32_t)(packed >> 32) - 1, (uint32_t)packed};
  return packed != 0;
}

void check_set_event(struct check_clone *k, uint32_t inst, struct check_event event)
{
  uint64_t packed = ((uint64_t)event.block + 1) << 32 | event.at;
  if (event.block == IR_NONE) /* several places */
    packed = UINT64_C(1) << 63 | event.at;
  if (k->event_array)
    k->event_array[inst] = packed;
  else
    (void)coro_map_put(&k->events, (uint64_t)inst + 1, packed);
}

/* The address of a step of glue; NULL: not a step. */
static LLVMValueRef base_of_glue(const struct check_clone *k, LLVMValueRef address, uint64_t *offset)
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

bool check_frame_address(const struct check_clone *k, LLVMValueRef address, uint64_t *offset)
{
  *offset = 0;
  for (unsigned steps = 0; address && steps < 8; steps++) {
    if (address == k->from->frame)
      return true;
    address = base_of_glue(k, address, offset);
  }
  return false;
}
