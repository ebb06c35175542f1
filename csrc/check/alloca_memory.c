/* Checks sizes, alignments and releases of memory of llvm.coro.alloca.alloc. */
#include "check/alloca_memory.h"

#include "check/allocated_size.h"
#include "check/allocator_call.h"
#include "check/call_rules.h"
#include "check/frame_overlap.h"
#include "check/heap_list.h"
#include "check/memory_uses.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "lowering/abi.h"

bool find_alloca_allocs_from_allocator(struct check *c)
{
  if (!coro_bits_init(&c->from_allocator, c->arena, c->low->fn.inst_count))
    return false;
  for (uint32_t n = 0; n < c->clone_count; n++) {
    const struct check_clone *k = c->clones[n];
    for (uint32_t i = 0; i < k->fn.inst_count; i++)
      if (k->entries[i].kind == WITNESS_LOWERED && k->fn.opcode[i] == LLVMCall &&
          c->low->shape.intrin[k->entries[i].of] == INTRIN_ALLOCA_ALLOC)
        coro_bits_set(&c->from_allocator, k->entries[i].of);
  }
  return true;
}

static uint64_t requested_alloca_alignment(const struct check *c, uint32_t alloc)
{
  return LLVMConstIntGetZExtValue(LLVMGetOperand(c->low->fn.insts[alloc], ALLOCA_ALLOC_ALIGN));
}

/* Bytes added to the address before it is rounded down, because the allocator aligns to fewer bytes. */
static uint64_t slack_for_alignment(const struct check *c, uint32_t alloc)
{
  uint64_t align = requested_alloca_alignment(c, alloc), given = ir_malloc_align(c->low->context, c->low->layout);
  return align > given ? align - given : 0;
}

/* ---- On the stack ---- */

bool check_alloca_alloc_on_stack(struct check_walk *w, uint32_t inst, uint32_t alloc)
{
  LLVMValueRef memory = check_walk_inst(w, inst);
  if (!skip_to_presplit_inst(w, alloc))
    return false;
  bool fits = w->k->fn.opcode[inst] == LLVMAlloca &&
              LLVMGetAllocatedType(memory) == LLVMInt8TypeInContext(w->c->low->context) &&
              edit_alignment(memory) >= requested_alloca_alignment(w->c, alloc);
  if (!fits)
    return check_unsupported(w->c, "the memory of llvm.coro.alloca.alloc");
  if (!claim_presplit_operand(w->c, w->k, inst, LLVMGetOperand(memory, ALLOCA_COUNT), alloc, ALLOCA_ALLOC_SIZE))
    return check_refute(w->c, w->k, memory, "it has another size");
  execute_and_skip_inst(w, alloc);
  return true;
}

/* Whether nothing but phis and jumps is between the return of an inlined body and the instruction. The block `joins`
   the paths from several returns. */
static bool is_directly_after_inlined_body(const struct check_clone *k, uint32_t inst, uint32_t body,
                                           bool may_join_returns)
{
  uint32_t block = k->fn.inst_block[inst], start = k->fn.block_start[block], last = inst;
  while (last > start && k->fn.opcode[last - 1] == LLVMPHI && k->entries[last - 1].kind != WITNESS_INLINED)
    last--;
  if (last > start)
    return k->entries[last - 1].kind == WITNESS_INLINED && k->entries[last - 1].of == body;
  bool after = may_join_returns && k->graph.pred_start[block] < k->graph.pred_start[block + 1];
  for (uint32_t p = k->graph.pred_start[block]; p < k->graph.pred_start[block + 1] && after; p++) {
    uint32_t jump = k->fn.block_start[k->graph.pred[p] + 1] - 1;
    after = flow_is_jump(k->fn.insts[jump]) && is_directly_after_inlined_body(k, jump, body, false);
  }
  return after || k->in[block].body == body;
}

/* Whether an llvm.stackrestore only frees allocas of the inlined body whose first instruction is `first`, directly
   before which the stack pointer is saved. */
static bool frees_only_allocas_of_inlined_body(const struct check_walk *w, uint32_t first, uint32_t restore)
{
  uint32_t body = w->k->entries[first].of;
  return w->c->bodies[body].first == first && !w->c->bodies[body].from->tail &&
         is_directly_after_inlined_body(w->k, restore, body, true);
}

/* Checks an llvm.stackrestore: its llvm.stacksave directly precedes the alloca of the memory, or an inlined body. */
bool check_stackrestore_frees_alloca_or_body(struct check_walk *w, uint32_t inst)
{
  LLVMValueRef mark = LLVMGetOperand(check_walk_inst(w, inst), STACK_MARK), memory = NULL;
  uint32_t save = ir_inst(&w->k->fn, mark);
  if (save != IR_NONE && is_call_of_intrinsic(w, mark, INTRIN_STACKSAVE) && w->k->entries[save].kind == WITNESS_NONE)
    memory = LLVMGetNextInstruction(mark);
  uint32_t made = memory ? ir_inst(&w->k->fn, memory) : IR_NONE;
  if (made != IR_NONE && w->k->entries[made].kind == WITNESS_INLINED)
    return frees_only_allocas_of_inlined_body(w, made, inst) ||
           check_refute(w->c, w->k, check_walk_inst(w, inst), "it frees memory of other code than an inlined body");
  uint32_t free = skip_past_next_alloca_free_or_none(w);
  uint32_t alloc = free == IR_NONE ? IR_NONE : ir_operand_inst(&w->c->low->fn, free, ALLOCA_TOKEN);
  return (made != IR_NONE && alloc != IR_NONE && w->k->entries[made].kind == WITNESS_LOWERED &&
          w->k->entries[made].of == alloc) ||
         check_refute(w->c, w->k, check_walk_inst(w, inst),
                      "it frees memory of the stack that no presplit instruction frees");
}

/* The restored stack pointer is an llvm.stacksave that is not spilled, or is loaded from an alloca on the stack, where
   it was stored in this activation: memory_flow.h proves that. */
static bool check_restores_own_stack(struct check *c, const struct check_clone *k, uint32_t inst)
{
  const struct ir_fn *fn = &c->low->fn;
  uint32_t mark = ir_operand_inst(fn, k->entries[inst].of, STACK_MARK);
  bool load = mark != IR_NONE && fn->opcode[mark] == LLVMLoad;
  uint32_t address = load ? ir_operand(fn, mark, LOAD_ADDRESS) : IR_NONE;
  const struct check_memory *memory = address == IR_NONE ? NULL : check_memory_of(c, address);
  if (memory)
    return !(memory->places & PLACE_IN_FRAME) ||
           check_unsupported(c, "an llvm.stackrestore of a stack pointer that is in the frame");
  if (mark == IR_NONE || c->low->shape.intrin[mark] != INTRIN_STACKSAVE)
    return check_unsupported(c, "an llvm.stackrestore of a computed stack pointer");
  return !coro_map_has(&c->exported_values, (uint64_t)ir_value_of_inst(fn, mark) + 1) ||
         check_refute(c, k, k->fn.insts[inst], "it restores a stack pointer that was saved before a suspend");
}

bool check_stackrestores_restore_own_stack(struct check *c)
{
  if (!coro_shape_has_intrinsic(&c->low->shape, &c->low->fn, INTRIN_STACKRESTORE))
    return true;
  for (uint32_t n = 0; n < c->clone_count; n++)
    for (uint32_t i = 0; i < c->clones[n]->fn.inst_count; i++)
      if (c->clones[n]->entries[i].kind == WITNESS_COPY &&
          c->low->shape.intrin[c->clones[n]->entries[i].of] == INTRIN_STACKRESTORE &&
          !check_restores_own_stack(c, c->clones[n], i))
        return false;
  return true;
}

static uint32_t alloca_alloc_of_get_or_none(const struct check *c, uint32_t get)
{
  return get != IR_NONE && c->low->shape.intrin[get] == INTRIN_ALLOCA_GET
             ? ir_operand_inst(&c->low->fn, get, ALLOCA_TOKEN)
             : IR_NONE;
}

bool is_stack_alloca_of_get_and_record_use(struct check *c, const struct check_clone *k, LLVMValueRef carrier,
                                           uint32_t get)
{
  uint32_t inst = ir_inst(&k->fn, carrier), alloc = alloca_alloc_of_get_or_none(c, get);
  return inst != IR_NONE && alloc != IR_NONE && k->entries[inst].kind == WITNESS_LOWERED &&
         k->entries[inst].of == alloc && k->fn.opcode[inst] == LLVMAlloca &&
         record_use_of_memory_address(c, ir_value_of_inst(&c->low->fn, alloc), PLACE_ON_STACK);
}

/* ---- From the allocator ---- */

bool check_alloca_alloc_from_allocator(struct check_walk *w, uint32_t inst, uint32_t alloc)
{
  LLVMValueRef call = check_walk_inst(w, inst);
  uint64_t added;
  unsigned index;
  if (!w->c->low->abi->has_allocator)
    return heap_list_check_malloc_call(w, inst, alloc);
  if (!allocator_call_is_of_id_operand(w, call, alloc, RETCON_ALLOCATOR))
    return check_refute(w->c, w->k, call, "it does not call the coroutine's allocator");
  if (!allocator_call_check(w, inst, alloc, RETCON_ALLOCATOR, &index) ||
      !allocated_size_check(w, inst, index, alloc, ALLOCA_ALLOC_SIZE, 1, &added))
    return false;
  if (added != slack_for_alignment(w->c, alloc))
    return check_refute(w->c, w->k, call, "it allocates another size");
  execute_and_skip_inst(w, alloc);
  return true;
}

bool check_alloca_free(struct check_walk *w, uint32_t inst, uint32_t free)
{
  LLVMValueRef call = check_walk_inst(w, inst);
  uint32_t alloc = ir_operand_inst(&w->c->low->fn, free, ALLOCA_TOKEN);
  unsigned index;
  if (!w->c->low->abi->has_allocator)
    return heap_list_check_drop_call(w, inst, free);
  if (alloc == IR_NONE || !allocator_call_is_of_id_operand(w, call, alloc, RETCON_DEALLOCATOR))
    return check_refute(w->c, w->k, call, "it does not call the coroutine's deallocator");
  if (!allocator_call_check(w, inst, alloc, RETCON_DEALLOCATOR, &index))
    return false;
  if (!claim_presplit_operand(w->c, w->k, inst, LLVMGetOperand(call, index), free, ALLOCA_TOKEN))
    return check_refute(w->c, w->k, call, "it frees other memory");
  execute_and_skip_inst(w, free);
  return true;
}

/* The allocated block, without the computation that aligns its address; NULL: the address is not aligned by such a
   computation. */
static LLVMValueRef block_before_alignment_or_null(struct check *c, const struct check_clone *k, LLVMValueRef address,
                                                   uint32_t alloc)
{
  if (!c->low->abi->has_allocator)
    return heap_list_block_of_address_or_null(c, k, address, alloc);
  uint64_t slack = slack_for_alignment(c, alloc);
  uint32_t mask = ir_inst(&k->fn, address);
  if (!slack)
    return address;
  LLVMValueRef sum =
      mask != IR_NONE && k->entries[mask].kind != WITNESS_COPY && frame_overlap_is_constant_ptrmask(address)
          ? LLVMGetOperand(address, MASKED_ADDRESS)
          : NULL;
  uint32_t step = sum ? ir_inst(&k->fn, sum) : IR_NONE;
  if (step == IR_NONE || k->entries[step].kind != WITNESS_NONE || k->fn.opcode[step] != LLVMGetElementPtr ||
      LLVMGetNumOperands(sum) != 2 || !LLVMIsAConstantInt(LLVMGetOperand(sum, FIRST_INDEX)) ||
      LLVMGetGEPSourceElementType(sum) != LLVMInt8TypeInContext(c->low->context))
    return NULL;
  bool aligns =
      0 - LLVMConstIntGetZExtValue(LLVMGetOperand(address, ADDRESS_MASK)) == requested_alloca_alignment(c, alloc) &&
      LLVMConstIntGetZExtValue(LLVMGetOperand(sum, FIRST_INDEX)) == slack;
  return aligns ? LLVMGetOperand(sum, ADDRESS_BASE) : NULL;
}

/* A claim for the result follows at the same place: no llvm.coro.alloca.alloc can be executed again between the get and
   its use, because it dominates the get and the get dominates the use. */
bool derive_alloca_get_claim_from_block(struct check *c, uint32_t claim)
{
  struct check_claim of = c->claims.items[claim];
  const struct check_clone *k = c->clones[of.clone];
  uint32_t alloc = alloca_alloc_of_get_or_none(c, ir_inst_of_value(&c->low->fn, of.fact.value)),
           inst = ir_inst(&k->fn, of.fact.carrier);
  if (alloc == IR_NONE || inst == IR_NONE || !coro_bits_get(&c->from_allocator, alloc))
    return false;
  enum witness_kind kind = k->entries[inst].kind;
  bool carries = kind == WITNESS_RELOAD || kind == WITNESS_MERGE || kind == WITNESS_SPILL;
  LLVMValueRef block = carries && k->entries[inst].of == of.fact.value
                           ? NULL
                           : block_before_alignment_or_null(c, k, of.fact.carrier, alloc);
  if (!block)
    return false;
  claims_add_premise(c, claim, of.block, of.at, &(struct check_fact){block, 0, ir_value_of_inst(&c->low->fn, alloc)});
  return true;
}
