/* Lowers llvm.coro.alloca.alloc, .get and .free. */
#include "emit/alloca_intrinsics.h"

#include "emit/frame_address.h"
#include "emit/heap_allocas.h"
#include "ir/edit.h"

enum { MAX_EXIT_PATH_NODES = 3 };

static uint32_t alloc_whose_token_inst_uses(const struct emit *e, uint32_t inst)
{
  return ir_operand_inst(&e->low->fn, inst, ALLOCA_TOKEN);
}

static uint64_t alignment_operand_or_1(const struct emit *e, uint32_t alloc)
{
  uint64_t align = LLVMConstIntGetZExtValue(LLVMGetOperand(e->low->fn.insts[alloc], ALLOCA_ALLOC_ALIGN));
  return align ? align : 1;
}

static bool is_memory_live_across_suspend(const struct emit *e, uint32_t alloc)
{
  return coro_bits_get(&e->low->alloca_intrinsics.outlives, alloc);
}

static LLVMTypeRef byte_type(const struct emit *e)
{
  return LLVMInt8TypeInContext(e->low->context);
}

static uint64_t padding_beyond_malloc_alignment(const struct emit *e, uint32_t alloc)
{
  uint64_t align = alignment_operand_or_1(e, alloc), known = ir_malloc_align(e->low->context, e->low->layout);
  return align > known ? align - known : 0;
}

/* Whether all paths leave the function within `depth` nodes, which frees the stack anyway. */
static bool leaves_function_within_depth(const struct coro_cfg *cfg, uint32_t node, unsigned depth)
{
  if (!depth)
    return false;
  if (cfg->nodes[node].suspend != IR_NONE)
    return true;
  for (uint32_t e = cfg->nodes[node].edge_start; e < cfg->nodes[node + 1].edge_start; e++)
    if (!leaves_function_within_depth(cfg, cfg->edges[e].to, depth - 1))
      return false;
  return true;
}

static bool needs_stacksave(const struct emit *e, uint32_t alloc)
{
  LLVMValueRef token = e->low->fn.insts[alloc];
  for (LLVMUseRef use = LLVMGetFirstUse(token); use; use = LLVMGetNextUse(use)) {
    uint32_t inst = ir_inst(&e->low->fn, LLVMGetUser(use));
    if (inst != IR_NONE && e->low->shape.intrin[inst] == INTRIN_ALLOCA_FREE &&
        !leaves_function_within_depth(&e->low->cfg, e->low->cfg.node_of_inst[inst], MAX_EXIT_PATH_NODES))
      return true;
  }
  return false;
}

static LLVMValueRef declare_stack_intrinsic(const struct emit *e, enum intrin intrin, LLVMTypeRef pointer)
{
  return intrin_declare(e->low->table, e->low->module, intrin, &pointer, 1);
}

static LLVMValueRef emit_alloca_and_stacksave_if_needed(struct emit *e, uint32_t alloc, LLVMValueRef size)
{
  LLVMValueRef memory = LLVMBuildArrayAlloca(e->builder, byte_type(e), size, "");
  edit_set_alignment(memory, alignment_operand_or_1(e, alloc));
  if (needs_stacksave(e, alloc)) {
    LLVMValueRef save = declare_stack_intrinsic(e, INTRIN_STACKSAVE, LLVMTypeOf(memory));
    LLVMPositionBuilderBefore(e->aside_builder, memory);
    LLVMValueRef mark = edit_build_call(e->aside_builder, save, NULL, 0, "");
    coro_map_put(&e->stack_marks, coro_map_pair(alloc, 0), (uint64_t)(uintptr_t)mark);
  }
  return memory;
}

static void emit_stackrestore_if_saved(struct emit *e, uint32_t alloc)
{
  uint64_t found = 0;
  if (!coro_map_get(&e->stack_marks, coro_map_pair(alloc, 0), &found))
    return;
  LLVMValueRef mark = (LLVMValueRef)(uintptr_t)found;
  LLVMValueRef restore = declare_stack_intrinsic(e, INTRIN_STACKRESTORE, LLVMTypeOf(mark));
  edit_build_call(e->builder, restore, &mark, 1, "");
}

static LLVMValueRef emit_allocation_by_list_or_abi(struct emit *e, uint32_t alloc, LLVMValueRef size)
{
  LLVMTypeRef word = LLVMIntPtrTypeInContext(e->low->context, e->low->layout);
  LLVMValueRef bytes = LLVMBuildIntCast2(e->builder, size, word, false, "");
  uint64_t padding = padding_beyond_malloc_alignment(e, alloc);
  if (e->low->alloca_intrinsics.list)
    return emit_heap_block_allocation_and_insertion(e, bytes, alignment_operand_or_1(e, alloc));
  if (padding)
    bytes = LLVMBuildAdd(e->builder, bytes, LLVMConstInt(word, padding, false), "");
  return e->hooks->allocate(e, alloc, bytes);
}

LLVMValueRef alloca_intrinsic_emit_allocation(struct emit *e, uint32_t alloc, LLVMValueRef size)
{
  return is_memory_live_across_suspend(e, alloc) ? emit_allocation_by_list_or_abi(e, alloc, size)
                                                 : emit_alloca_and_stacksave_if_needed(e, alloc, size);
}

LLVMValueRef alloca_intrinsic_emit_address(struct emit *e, LLVMBuilderRef builder, uint32_t inst, LLVMValueRef block)
{
  uint32_t alloc = alloc_whose_token_inst_uses(e, inst);
  uint64_t align = alignment_operand_or_1(e, alloc), padding = padding_beyond_malloc_alignment(e, alloc);
  LLVMTypeRef type = LLVMTypeOf(e->low->fn.insts[inst]);
  if (!is_memory_live_across_suspend(e, alloc)) /* the stack may have an address space of its own */
    return LLVMTypeOf(block) == type ? block : LLVMBuildAddrSpaceCast(builder, block, type, "");
  if (e->low->alloca_intrinsics.list)
    return emit_aligned_address_in_heap_block(e, builder, block, align);
  return padding ? emit_rounding_up_to_alignment(e, builder, block, align - padding, align) : block;
}

void alloca_intrinsic_emit_free_or_stackrestore(struct emit *e, uint32_t inst, LLVMValueRef block)
{
  uint32_t alloc = alloc_whose_token_inst_uses(e, inst);
  if (!is_memory_live_across_suspend(e, alloc))
    emit_stackrestore_if_saved(e, alloc);
  else if (e->low->alloca_intrinsics.list)
    emit_free_of_heap_block(e, block);
  else
    e->hooks->deallocate(e, alloc, block);
}
