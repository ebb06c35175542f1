/* Heap: variables of unknown size that are needed after a suspend.
   Needs: emission under way, a frame with a heap field. Leaves: f.release, which frees a list. */
#include "coro/heap.h"

#include "base/fault.h"

enum { LINK_BYTES = 16 }; /* in front of each variable: keeps malloc's alignment */

static LLVMTypeRef word_type(const struct emit *e)
{
  return LLVMIntPtrTypeInContext(e->low->context, e->low->layout);
}

static LLVMTypeRef pointer_type(const struct emit *e)
{
  return LLVMPointerTypeInContext(e->low->context, 0);
}

/* A function of the C library, by its C signature; a declaration that is there already is called as it should be. */
static LLVMValueRef library_function(const struct emit *e, const char *name, LLVMTypeRef type)
{
  LLVMValueRef function = LLVMGetNamedFunction(e->low->module, name);
  return function ? function : LLVMAddFunction(e->low->module, name, type);
}

void heap_begin(struct emit *e)
{
  LLVMValueRef slot = emit_slot(e, e->low->frame.heap_field);
  if (!FAULTY(e->low->arena, list_not_cleared))
    LLVMBuildStore(e->builder, LLVMConstNull(pointer_type(e)), slot);
}

LLVMValueRef heap_allocate(struct emit *e, uint32_t alloca)
{
  const struct coro_lowering *low = e->low;
  const struct coro_alloca *item = &low->allocas.items[low->allocas.of_value[ir_value_of_inst(&low->fn, alloca)]];
  LLVMTypeRef word = word_type(e), malloc_type = LLVMFunctionType(pointer_type(e), &word, 1, false);
  uint64_t slack = item->align > LINK_BYTES ? item->align - LINK_BYTES : 0;
  LLVMValueRef element = LLVMConstInt(word, LLVMABISizeOfType(low->layout, item->type), false);
  LLVMValueRef count = LLVMBuildIntCast2(e->builder, emit_operand(e, alloca, 0), word, false, "");
  LLVMValueRef bytes = LLVMBuildAdd(e->builder, LLVMBuildMul(e->builder, count, element, ""),
                                    LLVMConstInt(word, LINK_BYTES + slack, false), "");
  LLVMValueRef function = library_function(e, "malloc", malloc_type);
  LLVMValueRef block = LLVMBuildCall2(e->builder, malloc_type, function, &bytes, 1, "");
  LLVMValueRef slot = emit_slot(e, low->frame.heap_field), link = LLVMConstInt(word, LINK_BYTES, false);
  LLVMBuildStore(e->builder, LLVMBuildLoad2(e->builder, pointer_type(e), slot, ""), block);
  LLVMBuildStore(e->builder, block, slot);
  LLVMValueRef address = LLVMBuildInBoundsGEP2(e->builder, LLVMInt8TypeInContext(low->context), block, &link, 1, "");
  return slack ? emit_align(e, e->builder, address, LINK_BYTES, item->align) : address;
}

/* void f.release(ptr list): while (list) { next = *list; free(list); list = next; } */
static LLVMValueRef make_release(struct emit *e, const char *name)
{
  LLVMContextRef context = e->low->context;
  LLVMTypeRef pointer = pointer_type(e), type = LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, false);
  LLVMValueRef function = LLVMAddFunction(e->low->module, name, type);
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, function, "entry");
  LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(context, function, "loop");
  LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(context, function, "body");
  LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(context, function, "end");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMSetLinkage(function, LLVMInternalLinkage);
  LLVMPositionBuilderAtEnd(builder, entry);
  LLVMBuildBr(builder, loop);
  LLVMPositionBuilderAtEnd(builder, loop);
  LLVMValueRef list = LLVMBuildPhi(builder, pointer, "list");
  LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, list, ""), end, body);
  LLVMPositionBuilderAtEnd(builder, body);
  LLVMValueRef next = LLVMBuildLoad2(builder, pointer, list, "next");
  LLVMBuildCall2(builder, type, library_function(e, "free", type), &list, 1, "");
  LLVMBuildBr(builder, loop);
  LLVMPositionBuilderAtEnd(builder, end);
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  LLVMValueRef values[2] = {LLVMGetParam(function, 0), next};
  LLVMBasicBlockRef blocks[2] = {entry, body};
  LLVMAddIncoming(list, values, blocks, 2);
  return function;
}

void heap_release(struct emit *e)
{
  const char *own = LLVMGetValueName2(e->low->fn.function, &(size_t){0});
  char *name = coro_arena_printf(e->low->arena, "%s.release", own);
  if (!name || FAULTY(e->low->arena, heap_leaked))
    return;
  LLVMValueRef function = LLVMGetNamedFunction(e->low->module, name);
  function = function ? function : make_release(e, name);
  LLVMValueRef slot = emit_slot(e, e->low->frame.heap_field);
  LLVMValueRef list = LLVMBuildLoad2(e->builder, pointer_type(e), slot, "");
  LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(function), function, &list, 1, "");
}

/* The mark comes straight from a stacksave of the same epoch, or through a variable that no suspend is in the way of. */
static bool is_of_one_stack(const struct emit *e, uint32_t restore)
{
  const struct coro_lowering *low = e->low;
  uint32_t mark = low->fn.operands[low->fn.operand_start[restore]];
  uint32_t inst = mark == IR_NONE ? IR_NONE : ir_inst_of_value(&low->fn, mark);
  if (inst == IR_NONE)
    return false;
  if (low->shape.intrin[inst] == INTRIN_STACKSAVE)
    return low->crossing.epoch[low->cfg.node_of_inst[inst]] == low->crossing.epoch[low->cfg.node_of_inst[restore]];
  uint32_t from = low->fn.opcode[inst] == LLVMLoad ? low->fn.operands[low->fn.operand_start[inst]] : IR_NONE;
  uint32_t a = from == IR_NONE ? IR_NONE : low->allocas.of_value[from];
  return a != IR_NONE && !low->allocas.items[a].in_frame;
}

bool heap_drops_stack_mark(struct emit *e, uint32_t inst)
{
  return e->low->shape.intrin[inst] == INTRIN_STACKRESTORE && e->low->shape.suspend_count && !is_of_one_stack(e, inst);
}
