/* Emits code that allocates heap memory for allocas that are live across a suspend; see heap_allocas.h. */
#include "emit/heap_allocas.h"

#include "emit/block_head.h"
#include "emit/call.h"
#include "emit/declare.h"
#include "emit/frame_address.h"
#include "emit/local_allocas.h"
#include "ir/edit.h"
#include "ir/operand.h"

static LLVMTypeRef heap_size_type(const struct emit *e)
{
  return LLVMIntPtrTypeInContext(e->low->context, e->low->layout);
}

/* Returns the address in *list of an alloca of the ramp that holds null from its entry on; creates it on first use. */
static LLVMValueRef find_or_create_list_on_stack(struct emit *e, LLVMValueRef *list, const char *name)
{
  if (!*list) {
    local_alloca_position_aside_builder(e);
    e->last_alloca = LLVMBuildAlloca(e->aside_builder, emit_pointer(e), name);
    LLVMBuildStore(e->aside_builder, LLVMConstNull(emit_pointer(e)), e->last_alloca);
    /* no-op if the address spaces are equal */
    *list = LLVMBuildAddrSpaceCast(e->aside_builder, e->last_alloca, emit_pointer(e), "");
  }
  return *list;
}

static LLVMValueRef emit_address_of_early_list(struct emit *e)
{
  return find_or_create_list_on_stack(e, &e->early_heap_list, "early.heap");
}

void emit_heap_list_initialization(struct emit *e)
{
  LLVMValueRef list_slot = emit_address_of_frame_field(e, e->low->frame.heap_field),
               first = LLVMConstNull(emit_pointer(e));
  if (!e->low->allocas.heap_before_begin) {
    LLVMBuildStore(e->builder, first, list_slot);
    return;
  }
  LLVMValueRef early = emit_address_of_early_list(e);
  LLVMBuildStore(e->builder, LLVMBuildLoad2(e->builder, emit_pointer(e), early, ""), list_slot);
  LLVMBuildStore(e->builder, first, early);
}

/* Bytes before each alloca for the link, rounded up to malloc's usual alignment. */
static uint64_t bytes_of_list_link(const struct emit *e)
{
  uint64_t pointer = ir_pointer_size(e->low->context, e->low->layout);
  return pointer > 16 ? pointer : 16;
}

/* Alignment of the address after the link. */
static uint64_t alignment_after_list_link(const struct emit *e)
{
  uint64_t known = ir_malloc_align(e->low->context, e->low->layout),
           link = bytes_of_list_link(e) & (0 - bytes_of_list_link(e));
  return known < link ? known : link;
}

static uint64_t padding_to_alignment(const struct emit *e, uint64_t align)
{
  return align > alignment_after_list_link(e) ? align - alignment_after_list_link(e) : 0;
}

LLVMValueRef emit_heap_block_allocation_and_insertion(struct emit *e, LLVMValueRef bytes, uint64_t align)
{
  LLVMTypeRef word = heap_size_type(e), type = LLVMFunctionType(emit_pointer(e), &word, 1, false);
  bytes = LLVMBuildAdd(e->builder, bytes,
                       LLVMConstInt(word, bytes_of_list_link(e) + padding_to_alignment(e, align), false), "");
  struct emit_callee callee = {type, edit_declare_library_function(e->low->module, "malloc", type), &bytes, 1};
  LLVMValueRef block = emit_call_as(e, &callee);
  LLVMValueRef list_slot = cfg_has_frame(&e->low->cfg, e->clone_kind, cfg_node_of(&e->low->cfg, e->current_inst))
                               ? emit_address_of_frame_field(e, e->low->frame.heap_field)
                               : emit_address_of_early_list(e);
  LLVMBuildStore(e->builder, LLVMBuildLoad2(e->builder, emit_pointer(e), list_slot, ""), block);
  LLVMBuildStore(e->builder, block, list_slot);
  return block;
}

LLVMValueRef emit_aligned_address_in_heap_block(struct emit *e, LLVMBuilderRef builder, LLVMValueRef block,
                                                uint64_t align)
{
  LLVMValueRef link = LLVMConstInt(heap_size_type(e), bytes_of_list_link(e), false);
  LLVMValueRef address = LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(e->low->context), block, &link, 1, "");
  return padding_to_alignment(e, align)
             ? emit_rounding_up_to_alignment(e, builder, address, alignment_after_list_link(e), align)
             : address;
}

LLVMValueRef emit_heap_allocation_of_alloca(struct emit *e, const struct coro_alloca *item, LLVMValueRef count)
{
  LLVMTypeRef word = heap_size_type(e);
  LLVMValueRef element = LLVMConstInt(word, LLVMABISizeOfType(e->low->layout, item->type), false);
  count = LLVMBuildIntCast2(e->builder, count, word, false, "");
  LLVMValueRef block =
      emit_heap_block_allocation_and_insertion(e, LLVMBuildMul(e->builder, count, element, ""), item->align);
  return emit_aligned_address_in_heap_block(e, e->builder, block, item->align);
}

/* Creates an internal function f.suffix with one block. */
static LLVMValueRef create_helper_function(struct emit *e, const char *suffix, unsigned parameter_count,
                                           LLVMBuilderRef builder)
{
  LLVMTypeRef types[2] = {emit_pointer(e), emit_pointer(e)};
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->low->context), types, parameter_count, false);
  LLVMValueRef function = declare_function(e->low, suffix, type);
  edit_copy_attributes(e->low->arena, e->low->fn.function, function, (unsigned)LLVMAttributeFunctionIndex,
                       declare_attribute_holds_for_helper);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(e->low->context, function, "entry"));
  return function;
}

static void build_call_of_free(struct emit *e, LLVMBuilderRef builder, LLVMValueRef block)
{
  LLVMTypeRef pointer = emit_pointer(e);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->low->context), &pointer, 1, false);
  LLVMBuildCall2(builder, type, edit_declare_library_function(e->low->module, "free", type), &block, 1, "");
}

/* void f.release(ptr list): while (list) { next = *list; free(list); list = next; } */
static LLVMValueRef create_list_release_function(struct emit *e, LLVMBuilderRef builder)
{
  LLVMContextRef context = e->low->context;
  LLVMTypeRef pointer = emit_pointer(e);
  LLVMValueRef function = create_helper_function(e, "release", 1, builder);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
  LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(context, function, "loop");
  LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(context, function, "body");
  LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(context, function, "end");
  LLVMBuildBr(builder, loop);
  LLVMPositionBuilderAtEnd(builder, loop);
  LLVMValueRef list = LLVMBuildPhi(builder, pointer, "list");
  LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, list, ""), end, body);
  LLVMPositionBuilderAtEnd(builder, body);
  LLVMValueRef next = LLVMBuildLoad2(builder, pointer, list, "next");
  build_call_of_free(e, builder, list);
  LLVMBuildBr(builder, loop);
  LLVMPositionBuilderAtEnd(builder, end);
  LLVMBuildRetVoid(builder);
  LLVMValueRef values[2] = {LLVMGetParam(function, 0), next};
  LLVMBasicBlockRef blocks[2] = {entry, body};
  LLVMAddIncoming(list, values, blocks, 2);
  return function;
}

/* void f.drop(ptr head, ptr block): while (*head != block) head = *head; *head = *block; free(block); */
static LLVMValueRef create_block_drop_function(struct emit *e, LLVMBuilderRef builder)
{
  LLVMContextRef context = e->low->context;
  LLVMTypeRef pointer = emit_pointer(e);
  LLVMValueRef function = create_helper_function(e, "drop", 2, builder), block = LLVMGetParam(function, 1);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
  LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(context, function, "loop");
  LLVMBasicBlockRef found = LLVMAppendBasicBlockInContext(context, function, "found");
  LLVMBuildBr(builder, loop);
  LLVMPositionBuilderAtEnd(builder, loop);
  LLVMValueRef head = LLVMBuildPhi(builder, pointer, "head");
  LLVMValueRef first = LLVMBuildLoad2(builder, pointer, head, "first");
  LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntEQ, first, block, ""), found, loop);
  LLVMPositionBuilderAtEnd(builder, found);
  LLVMBuildStore(builder, LLVMBuildLoad2(builder, pointer, block, "next"), head);
  build_call_of_free(e, builder, block);
  LLVMBuildRetVoid(builder);
  LLVMValueRef values[2] = {LLVMGetParam(function, 0), first};
  LLVMBasicBlockRef blocks[2] = {entry, loop};
  LLVMAddIncoming(head, values, blocks, 2);
  return function;
}

/* Calls a helper function, created on first use. */
static void call_heap_list_helper(struct emit *e, LLVMValueRef *helper,
                                  LLVMValueRef (*make)(struct emit *e, LLVMBuilderRef builder), LLVMValueRef *arguments,
                                  unsigned count)
{
  if (!*helper) {
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(e->low->context);
    *helper = make(e, builder);
    LLVMDisposeBuilder(builder);
  }
  emit_call(e, *helper, arguments, count);
}

/* Selects the list at a join of paths with and without llvm.coro.begin. */
static LLVMValueRef emit_list_address_at_begin_join(struct emit *e, uint32_t join)
{
  uint64_t materialized = 0, key = coro_map_pair(IR_NONE, join);
  if (coro_map_get(&e->materialized, key, &materialized))
    return (LLVMValueRef)(uintptr_t)materialized;
  head_position_aside_builder_at_phis(e, join);
  LLVMValueRef phi = LLVMBuildPhi(e->aside_builder, emit_pointer(e), "heap.list");
  (void)coro_map_put(&e->materialized, key, (uint64_t)(uintptr_t)phi); /* the arena records failures */
  (void)coro_vec_push(e->low->arena, &e->merges, ((struct emit_merge){phi, IR_NONE, join}));
  return phi;
}

LLVMValueRef emit_address_of_heap_list(struct emit *e, uint32_t node)
{
  uint32_t join = e->clone_kind == CLONE_RAMP ? coro_begin_join_of(&e->low->allocas, node) : IR_NONE;
  if (join != IR_NONE)
    return emit_list_address_at_begin_join(e, join);
  return cfg_has_frame(&e->low->cfg, e->clone_kind, node)
             ? emit_address_of_frame_field(e, e->low->frame.heap_field)
             : find_or_create_list_on_stack(e, &e->empty_heap_list, "no.heap");
}

static void call_release_function(struct emit *e, LLVMValueRef list_slot)
{
  LLVMValueRef list = LLVMBuildLoad2(e->builder, emit_pointer(e), list_slot, "");
  call_heap_list_helper(e, &e->low->scratch->release, create_list_release_function, &list, 1);
}

void emit_free_of_early_heap_blocks_if_any(struct emit *e, uint32_t node)
{
  if (e->low->allocas.heap_before_begin && !cfg_has_frame(&e->low->cfg, e->clone_kind, node))
    call_release_function(e, emit_address_of_early_list(e));
}

void emit_free_of_heap_list_if_any(struct emit *e, uint32_t node)
{
  bool joins = e->clone_kind == CLONE_RAMP && coro_begin_join_of(&e->low->allocas, node) != IR_NONE;
  if (e->low->frame.heap_field == IR_NONE || !(joins || cfg_has_frame(&e->low->cfg, e->clone_kind, node)))
    return;
  call_release_function(e, emit_address_of_heap_list(e, node));
}

void emit_free_of_heap_block(struct emit *e, LLVMValueRef block)
{
  LLVMValueRef arguments[2] = {emit_address_of_frame_field(e, e->low->frame.heap_field), block};
  call_heap_list_helper(e, &e->low->scratch->drop, create_block_drop_function, arguments, 2);
}

/* Whether the stack pointer to restore was saved in the same epoch, directly or through an alloca that is not live
   across a suspend. */
static bool is_saved_in_same_epoch(const struct emit *e, uint32_t restore)
{
  const struct coro_lowering *low = e->low;
  uint32_t mark = ir_operand(&low->fn, restore, STACK_MARK);
  uint32_t inst = mark == IR_NONE ? IR_NONE : ir_inst_of_value(&low->fn, mark);
  if (inst == IR_NONE)
    return false;
  if (low->shape.intrin[inst] == INTRIN_STACKSAVE)
    return low->crossing.epoch[low->cfg.node_of_inst[inst]] == low->crossing.epoch[low->cfg.node_of_inst[restore]];
  uint32_t from = low->fn.opcode[inst] == LLVMLoad ? ir_operand(&low->fn, inst, LOAD_ADDRESS) : IR_NONE;
  uint32_t a = from == IR_NONE ? IR_NONE : low->allocas.of_value[from];
  return a != IR_NONE && !low->allocas.items[a].in_frame;
}

bool stackrestore_is_dropped(const struct emit *e, uint32_t restore)
{
  return e->low->shape.suspend_count && !is_saved_in_same_epoch(e, restore);
}
