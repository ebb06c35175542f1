/* Rules for the code that allocates, inserts and frees heap blocks of allocas; see heap_list.h. */
#include "check/heap_list.h"

#include "check/allocated_size.h"
#include "check/begin.h"
#include "check/call_rules.h"
#include "check/claim_list.h"
#include "check/copy_in.h"
#include "check/early_heap_list.h"
#include "check/frame_overlap.h"
#include "check/heap_helpers.h"
#include "check/heap_state.h"
#include "check/memory_uses.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "ir/operand.h"
#include "lowering/abi.h"

enum { LIST_ADDRESS, DROPPED_BLOCK }; /* arguments of f.drop */
enum { LIST_HEAD }; /* argument of f.release */

bool heap_list_is_head_offset(const struct check *c, uint64_t offset)
{
  return heap_state_has_list(c) && offset == c->low->frame.fields[c->low->frame.heap_field].offset;
}

bool heap_list_is_head_address(const struct check *c, const struct check_clone *k, LLVMValueRef address)
{
  uint64_t offset;
  return check_is_frame_address(k, address, &offset) && heap_list_is_head_offset(c, offset);
}

bool heap_list_is_phi_of_head_addresses(const struct check *c, const struct check_clone *k, LLVMValueRef address)
{
  uint32_t inst = ir_inst(&k->fn, address);
  bool phi = heap_state_has_list(c) && inst != IR_NONE && k->entries[inst].kind == WITNESS_NONE &&
             k->fn.opcode[inst] == LLVMPHI && k->from->clone_kind == CLONE_RAMP;
  for (unsigned i = 0; phi && i < LLVMCountIncoming(address); i++) {
    uint32_t from = ir_inst(&k->fn, LLVMGetIncomingValue(address, i));
    phi = heap_list_is_head_address(c, k, LLVMGetIncomingValue(address, i)) ||
          (from != IR_NONE && k->fn.opcode[from] == LLVMAlloca && k->entries[from].kind == WITNESS_NONE);
  }
  return phi;
}

bool heap_list_is_alloca_always_null(const struct check_clone *k, LLVMValueRef alloca)
{
  bool empty = false;
  for (LLVMUseRef use = LLVMGetFirstUse(alloca); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    bool store = heap_state_is_plain_store_of(
        user, LLVMConstPointerNull(LLVMPointerTypeInContext(LLVMGetValueContext(alloca), 0)));
    if (!store && !LLVMIsAPHINode(user))
      return false;
    empty |= store && LLVMGetInstructionParent(user) == k->from->entry;
  }
  return empty;
}

static void add_list_call(struct check_walk *w, struct check_list_call call)
{
  (void)coro_vec_push(w->c->arena, &w->k->list_calls, call); /* the arena records failures */
}

/* ---- Insertion ---- */

/* The next instruction of the clone, without computations of addresses. */
static LLVMValueRef next_inst_that_is_no_gep(LLVMValueRef inst)
{
  do
    inst = inst ? LLVMGetNextInstruction(inst) : NULL;
  while (inst && LLVMIsAGetElementPtrInst(inst));
  return inst;
}

static void record_list_access(struct check_walk *w, LLVMValueRef access)
{
  (void)coro_map_put(&w->k->list_accesses, (uint64_t)ir_inst(&w->k->fn, access) + 1,
                     1); /* the arena records failures */
}

/* Whether the block becomes the head of a list directly after its allocation. Records the accesses that do it. */
static bool match_insertion_of_block(struct check_walk *w, LLVMValueRef block, bool *early)
{
  const struct coro_lowering *low = w->c->low;
  LLVMValueRef head = next_inst_that_is_no_gep(block), link = next_inst_that_is_no_gep(head),
               insertion = next_inst_that_is_no_gep(link);
  LLVMValueRef list = head && LLVMIsALoadInst(head) ? LLVMGetOperand(head, LOAD_ADDRESS) : NULL;
  *early = list && early_heap_list_is_address(w->c, w->k, list);
  if (!list || LLVMTypeOf(head) != LLVMTypeOf(block) || !heap_state_is_plain_store_of(link, head) ||
      LLVMGetOperand(link, STORE_ADDRESS) != block ||
      edit_alignment(link) > ir_malloc_align(low->context, low->layout) ||
      !heap_state_is_plain_store_of(insertion, block) ||
      (*early ? LLVMGetOperand(insertion, STORE_ADDRESS) != list
              : !heap_list_is_head_address(w->c, w->k, list) ||
                    !heap_list_is_head_address(w->c, w->k, LLVMGetOperand(insertion, STORE_ADDRESS))))
    return false;
  record_list_access(w, head);
  record_list_access(w, link);
  record_list_access(w, insertion);
  return true;
}

/* Whether the list is loaded from that of the early blocks directly before the store, and null is stored there directly
   after it. Records these accesses. */
static bool match_move_of_early_blocks(struct check_walk *w, LLVMValueRef store, LLVMValueRef list)
{
  LLVMValueRef next = LLVMGetNextInstruction(store);
  if (!LLVMIsALoadInst(list) || LLVMGetNextInstruction(list) != store || LLVMGetVolatile(list) ||
      !early_heap_list_is_address(w->c, w->k, LLVMGetOperand(list, LOAD_ADDRESS)) ||
      !heap_state_is_plain_store_of(next, LLVMConstNull(LLVMTypeOf(list))) ||
      LLVMGetOperand(next, STORE_ADDRESS) != LLVMGetOperand(list, LOAD_ADDRESS))
    return false;
  record_list_access(w, list);
  record_list_access(w, next);
  return true;
}

/* Whether the instruction is the store of null, or of the list of early blocks, to the list's head directly after
   llvm.coro.begin. Records it. */
static bool match_heap_list_initialization(struct check_walk *w, uint32_t inst)
{
  LLVMValueRef store = check_walk_inst(w, inst), value = LLVMGetOperand(store, STORE_VALUE);
  if (w->k->from->clone_kind != CLONE_RAMP || !heap_state_is_plain_store_of(store, value) ||
      LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind ||
      !heap_list_is_head_address(w->c, w->k, LLVMGetOperand(store, STORE_ADDRESS)) ||
      (!LLVMIsNull(value) && !match_move_of_early_blocks(w, store, value)) || !copy_in_skip_to_right_after_begin(w))
    return false;
  w->k->list_start = inst;
  return true;
}

bool heap_list_is_init_or_insertion_store(struct check_walk *w, uint32_t inst)
{
  return heap_state_has_list(w->c) &&
         (coro_map_has(&w->k->list_accesses, (uint64_t)inst + 1) || match_heap_list_initialization(w, inst));
}

/* ---- Calls ---- */

/* Records how many bytes a block for the instruction has besides those of the alloca; of several blocks, the least. */
static void record_smallest_slack(struct check *c, uint32_t presplit, uint64_t slack)
{
  uint64_t known = 0;
  if (!coro_map_get(&c->heap_slack, (uint64_t)presplit + 1, &known) || slack < known)
    (void)coro_map_put(&c->heap_slack, (uint64_t)presplit + 1, slack);
}

/* The parameter of malloc is as wide as a pointer, also if the module declares it with another type. */
static bool has_type_of_malloc(const struct check *c, LLVMValueRef call)
{
  LLVMTypeRef word = LLVMIntPtrTypeInContext(c->low->context, c->low->layout), type = LLVMGetCalledFunctionType(call);
  return type == LLVMFunctionType(LLVMPointerTypeInContext(c->low->context, 0), &word, 1, false) &&
         (type == LLVMGlobalGetValueType(LLVMGetCalledValue(call)) || LLVMIsDeclaration(LLVMGetCalledValue(call)));
}

bool heap_list_check_malloc_call(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  LLVMValueRef call = check_walk_inst(w, inst), source = w->c->low->fn.insts[presplit];
  bool alloca = LLVMIsAAllocaInst(source);
  uint64_t element = 1, slack;
  if (!heap_state_has_list(w->c) || !heap_helper_is_one_argument_call_of(call, "malloc") ||
      !has_type_of_malloc(w->c, call))
    return check_unsupported(w->c, "memory on the heap for an alloca");
  if (alloca && !ir_size_of(w->c->low->sizes, LLVMGetAllocatedType(source), &element))
    return check_unsupported(w->c, "an alloca of scalable type on the heap");
  if (!check_call_passes_declared_attributes(w, call, LLVMGetCalledValue(call)) ||
      !check_call_has_only_source_properties(w, call, NULL, LLVMGetFunctionCallConv(LLVMGetCalledValue(call))))
    return false;
  if (!allocated_size_check(w, inst, ALLOCATED_BYTES, presplit,
                            alloca ? (unsigned)ALLOCA_COUNT : (unsigned)ALLOCA_ALLOC_SIZE, element, &slack))
    return false;
  if (slack < ir_pointer_size(w->c->low->context, w->c->low->layout))
    return check_refute(w->c, w->k, call, "the block has no room for the address of the next block");
  struct check_list_call insertion = {inst, IR_NONE, IR_NONE, false};
  if (!match_insertion_of_block(w, call, &insertion.early))
    return check_refute(w->c, w->k, call, "the block is not inserted into the frame's list of heap blocks");
  record_smallest_slack(w->c, presplit, slack);
  add_list_call(w, insertion);
  execute_and_skip_inst(w, presplit);
  return true;
}

/* Whether the call is direct, and its callee does what it must. *known: the last callee for
   which that was shown. */
static bool check_helper_call(struct check_walk *w, LLVMValueRef call, LLVMValueRef *known,
                              bool (*does)(const struct check *, LLVMValueRef), const char *otherwise)
{
  LLVMValueRef helper = LLVMGetCalledValue(call);
  if (helper != *known && !does(w->c, helper))
    return check_refute(w->c, w->k, call, "%s", otherwise);
  *known = helper;
  return check_type_and_attributes_of_added_call(w, call);
}

bool heap_list_check_drop_call(struct check_walk *w, uint32_t inst, uint32_t free)
{
  LLVMValueRef call = check_walk_inst(w, inst);
  if (!check_helper_call(w, call, &w->c->drop_helper, heap_helper_frees_block_of_list,
                         "it does not call a function that frees one block of the list"))
    return false;
  if (!heap_list_is_head_address(w->c, w->k, LLVMGetOperand(call, LIST_ADDRESS)) ||
      !claim_presplit_operand(w->c, w->k, inst, LLVMGetOperand(call, DROPPED_BLOCK), free, ALLOCA_TOKEN))
    return check_refute(w->c, w->k, call, "it frees other memory");
  add_list_call(w, (struct check_list_call){inst, IR_NONE, IR_NONE, false});
  execute_and_skip_inst(w, free);
  return true;
}

bool heap_list_is_release_call(const struct check_walk *w, uint32_t inst)
{
  LLVMValueRef call = check_walk_inst(w, inst);
  LLVMValueRef list =
      heap_state_has_list(w->c) && LLVMGetNumArgOperands(call) == 1 ? LLVMGetOperand(call, LIST_HEAD) : NULL;
  return list && LLVMIsALoadInst(list) &&
         (heap_list_is_head_address(w->c, w->k, LLVMGetOperand(list, LOAD_ADDRESS)) ||
          early_heap_list_is_address(w->c, w->k, LLVMGetOperand(list, LOAD_ADDRESS)) ||
          heap_list_is_phi_of_head_addresses(w->c, w->k, LLVMGetOperand(list, LOAD_ADDRESS)));
}

bool heap_list_check_release_call(struct check_walk *w, uint32_t inst, uint32_t presplit)
{
  LLVMValueRef call = check_walk_inst(w, inst);
  if (!skip_to_presplit_inst(w, presplit) ||
      !check_helper_call(w, call, &w->c->release_helper, heap_helper_frees_whole_list,
                         "it does not call a function that frees all blocks of the list"))
    return false;
  if (LLVMGetNextInstruction(LLVMGetOperand(call, LIST_HEAD)) != call)
    return check_refute(w->c, w->k, call, "the list may have changed since it was loaded");
  LLVMValueRef list = LLVMGetOperand(LLVMGetOperand(call, LIST_HEAD), LOAD_ADDRESS);
  if (early_heap_list_is_address(w->c, w->k, list)) {
    record_list_access(w, LLVMGetOperand(call, LIST_HEAD));
    add_list_call(w, (struct check_list_call){inst, IR_NONE, IR_NONE, true});
    return early_heap_list_is_freed_at_exit(w->k, inst) ||
           check_refute(w->c, w->k, call, "it frees blocks from before llvm.coro.begin, but not where the ramp ends");
  }
  bool joins = heap_list_is_phi_of_head_addresses(w->c, w->k, list); /* heap_list_check_joins judges it */
  bool ends = joins ? w->c->low->shape.intrin[presplit] == INTRIN_FREE && !w->c->low->abi->suspend_returns
                    : heap_state_blocks_must_be_freed_before(w->c, w->k, w->block, w->position, presplit);
  if (!ends || w->state.released != IR_NONE)
    return check_refute(w->c, w->k, call,
                        "it frees the heap blocks of allocas, but not once, where the frame is freed");
  w->state.released = presplit;
  add_list_call(w, (struct check_list_call){inst, presplit, joins ? ir_inst(&w->k->fn, list) : IR_NONE, false});
  return true;
}

bool heap_list_find_helpers(struct check *c)
{
  for (uint32_t n = 0; n < c->clone_count && heap_state_has_list(c); n++) {
    const struct check_clone *k = c->clones[n];
    for (uint32_t i = 0; i < k->fn.inst_count; i++) {
      LLVMValueRef callee = k->fn.opcode[i] == LLVMCall && k->entries[i].kind == WITNESS_LOWERED
                                ? LLVMGetCalledValue(k->fn.insts[i])
                                : NULL;
      if (callee && !c->drop_helper && heap_helper_frees_block_of_list(c, callee))
        c->drop_helper = callee;
      if (callee && !c->release_helper && heap_helper_frees_whole_list(c, callee))
        c->release_helper = callee;
    }
  }
  return true;
}

/* ---- Paths with and without llvm.coro.begin ---- */

/* Whether the phi is the list in the frame on edges after llvm.coro.begin, and an empty one on edges before it, which
   no llvm.coro.begin follows. */
static bool is_list_on_all_edges(const struct check *c, const struct check_clone *k, uint32_t phi)
{
  uint32_t count = ir_phi_count(&k->fn, phi);
  bool holds = !begin_may_follow(c, k, k->fn.inst_block[phi], 2 * check_position(k, phi));
  for (uint32_t i = 0; i < count && holds; i++) {
    LLVMValueRef list = LLVMGetIncomingValue(k->fn.insts[phi], i);
    uint32_t operand = ir_operand(&k->fn, phi, count + i), from = operand & ~IR_BLOCK;
    if (operand == IR_NONE || k->out[from].where == WHERE_LEFT)
      continue;
    uint32_t end = 2 * (k->fn.block_start[from + 1] - k->fn.block_start[from]);
    holds = heap_list_is_head_address(c, k, list)
                ? begin_is_executed_on_all_paths(c, k, from, end) &&
                      heap_state_is_list_initialized_on_all_paths(c, k, from, end)
                : begin_is_executed_on_no_path(c, k, from, end) && heap_list_is_alloca_always_null(k, list);
  }
  return holds;
}

/* Whether a call frees all blocks for the presplit llvm.coro.free, before it in the same block. */
static bool is_list_freed_in_block_before(const struct check_clone *k, const struct check_event *free)
{
  bool released = false;
  for (uint32_t i = 0; i < k->list_calls.count && !released; i++) {
    const struct check_list_call *call = &k->list_calls.items[i];
    released = call->frees_all_at == free->inst && k->fn.inst_block[call->inst] == free->block &&
               2 * check_position(k, call->inst) < free->at;
  }
  return released;
}

/* Where the ramp may have executed llvm.coro.begin, the walk does not know whether there are blocks to free. */
bool heap_list_check_joins(struct check *c, const struct check_clone *k)
{
  if (!heap_state_has_list(c))
    return true;
  for (uint32_t i = 0; i < k->list_calls.count; i++) {
    uint32_t phi = k->list_calls.items[i].phi;
    if (phi != IR_NONE && !is_list_on_all_edges(c, k, phi))
      return check_refute(c, k, k->fn.insts[phi], "it is not the list of heap blocks on all edges");
  }
  for (uint32_t i = 0; i < c->low->fn.inst_count; i++)
    for (uint32_t e = c->low->shape.intrin[i] == INTRIN_FREE ? check_last_added_event_or_none(k, i) : IR_NONE;
         e != IR_NONE; e = k->events.items[e].next)
      if (begin_is_executed_on_some_paths_only(c, k, k->events.items[e].block, k->events.items[e].at) &&
          !is_list_freed_in_block_before(k, &k->events.items[e]))
        return check_refute(c, k, NULL, "the heap blocks of allocas must be freed before '%s'",
                            presplit_value_text_for_message(c, ir_value_of_inst(&c->low->fn, i)));
  return true;
}

/* ---- Addresses ---- */

static uint64_t value_of_lowest_set_bit(uint64_t number)
{
  return number & (0 - number);
}

static uint64_t alignment_of_alloca_or_alloc(const struct check *c, uint32_t presplit)
{
  LLVMValueRef source = c->low->fn.insts[presplit];
  return LLVMIsAAllocaInst(source) ? edit_alignment(source)
                                   : LLVMConstIntGetZExtValue(LLVMGetOperand(source, ALLOCA_ALLOC_ALIGN));
}

/* The base of an address that the lowering computes by constants. */
static LLVMValueRef strip_added_constant_offsets(const struct check *c, const struct check_clone *k,
                                                 LLVMValueRef address, uint64_t *offset)
{
  *offset = 0;
  for (uint32_t inst = ir_inst(&k->fn, address);
       inst != IR_NONE && k->fn.opcode[inst] == LLVMGetElementPtr && k->entries[inst].kind != WITNESS_COPY &&
       LLVMGetNumOperands(address) == 2 && LLVMIsAConstantInt(LLVMGetOperand(address, FIRST_INDEX)) &&
       LLVMGetGEPSourceElementType(address) == LLVMInt8TypeInContext(c->low->context) &&
       !(LLVMGEPGetNoWrapFlags(address) & LLVMGEPFlagNUW);
       inst = ir_inst(&k->fn, address)) {
    uint64_t index = LLVMConstIntGetZExtValue(LLVMGetOperand(address, FIRST_INDEX));
    if (index > UINT32_MAX)
      break;
    *offset += index;
    address = LLVMGetOperand(address, ADDRESS_BASE);
  }
  return address;
}

/* The block that contains an address, if the address is aligned, follows the link to the next block, and is followed by
   as many bytes as the alloca has; else NULL. Rounding down moves it by less than the difference between the alignment
   and that of the address before. */
static LLVMValueRef heap_block_of_address_or_null(const struct check *c, const struct check_clone *k,
                                                  LLVMValueRef address, uint32_t presplit)
{
  uint64_t align = 1, offset = 0, slack = 0, needed = alignment_of_alloca_or_alloc(c, presplit);
  uint32_t mask = ir_inst(&k->fn, address);
  if (mask != IR_NONE && k->entries[mask].kind != WITNESS_COPY && frame_overlap_is_constant_ptrmask(address)) {
    align = 0 - (uint64_t)LLVMConstIntGetSExtValue(LLVMGetOperand(address, ADDRESS_MASK));
    address = LLVMGetOperand(address, MASKED_ADDRESS);
  }
  LLVMValueRef block = strip_added_constant_offsets(c, k, address, &offset);
  uint64_t known = ir_malloc_align(c->low->context, c->low->layout);
  if (offset && value_of_lowest_set_bit(offset) < known)
    known = value_of_lowest_set_bit(offset);
  uint64_t moved = align > known ? align - known : 0, link = ir_pointer_size(c->low->context, c->low->layout);
  bool fits = coro_map_get(&c->heap_slack, (uint64_t)presplit + 1, &slack) && offset == slack &&
              offset >= link + moved && value_of_lowest_set_bit(align) == align &&
              (align > known ? align : known) >= needed;
  return fits ? block : NULL;
}

bool heap_list_check_address(struct check *c, const struct check_clone *k, uint32_t inst, uint32_t presplit)
{
  struct check_event last;
  LLVMValueRef block = heap_block_of_address_or_null(c, k, k->fn.insts[inst], presplit);
  uint32_t call = block ? ir_inst(&k->fn, block) : IR_NONE, at = k->fn.inst_block[inst];
  bool found = call != IR_NONE && k->fn.opcode[call] == LLVMCall && k->entries[call].kind == WITNESS_LOWERED &&
               k->entries[call].of == presplit && k->fn.inst_block[call] == at &&
               check_find_last_event_up_to(k, presplit, at, 2 * check_position(k, inst), &last) &&
               last.at == 2 * check_position(k, call) + 1;
  if (!found)
    return check_refute(c, k, k->fn.insts[inst], "it is no address of aligned memory for '%s' in its block on the heap",
                        presplit_value_text_for_message(c, ir_value_of_inst(&c->low->fn, presplit)));
  return record_use_of_memory_address(c, ir_value_of_inst(&c->low->fn, presplit), PLACE_ON_HEAP);
}

LLVMValueRef heap_list_block_of_address_or_null(struct check *c, const struct check_clone *k, LLVMValueRef address,
                                                uint32_t alloc)
{
  LLVMValueRef block = heap_block_of_address_or_null(c, k, address, alloc);
  if (block)
    (void)record_use_of_memory_address(c, ir_value_of_inst(&c->low->fn, alloc), PLACE_ON_HEAP);
  return block;
}
