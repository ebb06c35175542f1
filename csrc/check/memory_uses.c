/* Lists reads, writes and captures of allocas by presplit instructions. */
#include "check/memory_uses.h"

#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"

bool record_use_of_memory_address(struct check *c, uint32_t value, unsigned place)
{
  struct check_memory *memory = check_memory_of(c, value);
  if (!memory && coro_vec_push(c->arena, &c->memories, ((struct check_memory){.value = value}))) {
    c->memory_of[value] = c->memories.count;
    memory = &c->memories.items[c->memories.count - 1];
  }
  if (memory) /* the arena records the failure */
    memory->places |= place;
  return true;
}

/* The type of the memory's content; NULL: unknown. */
static LLVMTypeRef content_type_or_null(const struct check *c, uint32_t value)
{
  LLVMValueRef source = ir_value(&c->low->fn, value);
  LLVMAttributeRef passed =
      LLVMIsAArgument(source) ? edit_stack_argument_attribute(c->low->fn.function, value + 1) : NULL;
  if (passed)
    return LLVMGetTypeAttributeValue(passed);
  return LLVMIsAAllocaInst(source) ? check_single_alloca_type(source) : NULL;
}

bool find_size_of_memory(const struct check *c, uint32_t value, uint64_t *bytes)
{
  LLVMTypeRef type = content_type_or_null(c, value);
  if (type && ir_size_of(c->low->sizes, type, bytes))
    return true;
  *bytes = 0;
  return false;
}

struct finder {
  struct check *c;
  struct memory_uses *uses;
  struct coro_map seen; /* derived values */
  uint64_t size;        /* of the memory; 0: unknown */
  uint32_t value;
};

static bool covers_whole_memory(const struct finder *f, uint32_t address, uint64_t bytes)
{
  return address == f->value && f->size && bytes == f->size;
}

static unsigned effect_of_store(const struct finder *f, LLVMValueRef store, LLVMValueRef address, uint32_t id)
{
  uint64_t bytes = 0;
  if (LLVMGetOperand(store, STORE_VALUE) == address)
    return MEMORY_ESCAPES | MEMORY_STORED | MEMORY_WRITES;
  bool whole = ir_size_of(f->c->low->sizes, LLVMTypeOf(LLVMGetOperand(store, STORE_VALUE)), &bytes) &&
               covers_whole_memory(f, id, bytes);
  return MEMORY_WRITES | (whole ? MEMORY_STARTS : 0);
}

static unsigned effect_of_argument(LLVMValueRef call, unsigned argument)
{
  unsigned index = argument + 1;
  if (edit_call_or_callee_has_attribute(call, index, "byval"))
    return MEMORY_READS; /* the callee has a copy */
  bool kept = !edit_is_captured_only_by_result(call, argument);
  bool reads = edit_call_or_callee_has_attribute(call, index, "readonly"),
       writes = edit_call_or_callee_has_attribute(call, index, "writeonly"),
       none = edit_call_or_callee_has_attribute(call, index, "readnone");
  return (none     ? 0u
          : reads  ? MEMORY_READS
          : writes ? MEMORY_WRITES
                   : MEMORY_READS | MEMORY_WRITES) |
         (kept ? MEMORY_ESCAPES : 0u);
}

static unsigned effect_of_call(const struct finder *f, uint32_t inst, LLVMValueRef address, uint32_t id, bool *derives)
{
  LLVMValueRef call = f->c->low->fn.insts[inst];
  unsigned effects = 0, count = LLVMGetNumArgOperands(call);
  enum intrin intrin = (enum intrin)f->c->low->shape.intrin[inst];
  if (intrin_is_lifetime(intrin))
    return id == f->value ? MEMORY_STARTS : 0;
  if (intrin == INTRIN_ALLOCA_FREE)
    return MEMORY_STARTS;
  if (intrin == INTRIN_ID || intrin == INTRIN_SAVE || intrin == INTRIN_ALLOCA_GET || intrin == INTRIN_END ||
      intrin == INTRIN_FREE)
    return 0;
  for (unsigned i = 0; i < count; i++) {
    if (LLVMGetOperand(call, i) != address)
      continue;
    effects |= effect_of_argument(call, i);
    *derives |= edit_is_captured_only_by_result(call, i) && !edit_is_nocapture(call, i);
  }
  for (unsigned i = count; i < (unsigned)LLVMGetNumOperands(call); i++)
    if (LLVMGetOperand(call, i) == address)
      effects |= MEMORY_READS | MEMORY_WRITES | MEMORY_ESCAPES;
  return effects;
}

static bool may_have_room_for_address(const struct finder *f, LLVMTypeRef type)
{
  uint64_t bytes;
  return LLVMGetTypeKind(type) != LLVMVoidTypeKind && (!ir_size_of(f->c->low->sizes, type, &bytes) ||
                                                       bytes >= ir_pointer_size(f->c->low->context, f->c->low->layout));
}

/* Whether the result of an instruction that captures an address, such as a call, may contain it. */
static bool may_result_contain_captured(const struct finder *f, LLVMValueRef inst)
{
  bool fresh = edit_is_call(inst) && edit_call_or_callee_has_attribute(inst, LLVMAttributeReturnIndex, "noalias");
  return !fresh && may_have_room_for_address(f, LLVMTypeOf(inst));
}

static bool may_result_hold_address(unsigned char opcode)
{
  return opcode != LLVMICmp && opcode != LLVMFCmp && !llvm_is_branch_opcode((LLVMOpcode)opcode) &&
         opcode != LLVMSwitch && opcode != LLVMRet;
}

static unsigned effects_of_use(const struct finder *f, uint32_t inst, LLVMValueRef address, uint32_t id, bool *derives)
{
  LLVMValueRef value = f->c->low->fn.insts[inst];
  *derives = false;
  switch (f->c->low->fn.opcode[inst]) {
  case LLVMLoad: return MEMORY_READS;
  case LLVMStore: return effect_of_store(f, value, address, id);
  case LLVMCall:
    *derives = f->c->low->shape.intrin[inst] == INTRIN_ALLOCA_GET;
    return *derives ? 0 : effect_of_call(f, inst, address, id, derives);
  case LLVMInvoke: return effect_of_call(f, inst, address, id, derives);
  case LLVMCatchPad: return MEMORY_WRITES | MEMORY_STARTS; /* the exception is stored there */
  case LLVMCallBr:
  case LLVMVAArg: return MEMORY_READS | MEMORY_WRITES | MEMORY_ESCAPES;
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return MEMORY_READS | MEMORY_WRITES |
           (LLVMGetOperand(value, UPDATE_ADDRESS) == address ? 0u : (unsigned)MEMORY_ESCAPES | MEMORY_STORED);
  default: *derives = may_result_hold_address(f->c->low->fn.opcode[inst]); return 0;
  }
}

static bool add_derived_value_once(struct finder *f, uint32_t value)
{
  if (coro_map_has(&f->seen, (uint64_t)value + 1))
    return true;
  return coro_map_put(&f->seen, (uint64_t)value + 1, 1) && coro_vec_push(f->c->arena, &f->uses->derived, value);
}

static bool add_use(struct finder *f, uint32_t inst, LLVMValueRef address, uint32_t id)
{
  bool derives;
  unsigned effects = effects_of_use(f, inst, address, id, &derives);
  uint32_t result = ir_value_of_inst(&f->c->low->fn, inst);
  if (derives && !add_derived_value_once(f, result))
    return false;
  if (effects & MEMORY_ESCAPES && may_result_contain_captured(f, f->c->low->fn.insts[inst]) &&
      !coro_vec_push(f->c->arena, &f->uses->returned, result))
    return false;
  return !effects || coro_vec_push(f->c->arena, &f->uses->items, ((struct memory_use){inst, effects}));
}

/* Adds the uses of the derived values from number `first` on. */
static bool add_uses_of_derived_from(struct finder *f, uint32_t first)
{
  const struct ir_fn *fn = &f->c->low->fn;
  for (uint32_t d = first; d < f->uses->derived.count; d++) {
    uint32_t id = f->uses->derived.items[d];
    LLVMValueRef address = ir_value(fn, id);
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
      uint32_t inst = ir_inst(fn, LLVMGetUser(use));
      if (inst != IR_NONE && !add_use(f, inst, address, id))
        return false;
    }
  }
  return true;
}

static struct finder finder_of(struct check *c, uint32_t value, struct memory_uses *uses)
{
  struct finder f = {.c = c, .uses = uses, .value = value};
  (void)find_size_of_memory(c, value, &f.size);
  coro_map_init(&f.seen, c->arena);
  return f;
}

/* Adds the llvm.stackrestore of each llvm.stacksave before the alloca in its block: it frees the memory of the alloca's
   last execution, because the block executes both. Allocas of the entry block live until the function returns. */
static bool add_stack_restores(struct finder *f, uint32_t alloca)
{
  const struct ir_fn *fn = &f->c->low->fn;
  uint32_t block = alloca == IR_NONE ? 0 : fn->inst_block[alloca];
  for (uint32_t i = fn->block_start[block]; block && i < alloca; i++)
    for (LLVMUseRef use = f->c->low->shape.intrin[i] == INTRIN_STACKSAVE ? LLVMGetFirstUse(fn->insts[i]) : NULL; use;
         use = LLVMGetNextUse(use)) {
      uint32_t user = ir_inst(fn, LLVMGetUser(use));
      if (user != IR_NONE && f->c->low->shape.intrin[user] == INTRIN_STACKRESTORE &&
          !coro_vec_push(f->c->arena, &f->uses->items, ((struct memory_use){user, MEMORY_STARTS})))
        return false;
    }
  return true;
}

bool memory_uses_find(struct check *c, uint32_t value, struct memory_uses *uses)
{
  struct finder f = finder_of(c, value, uses);
  uint32_t made = ir_inst_of_value(&c->low->fn, value); /* new memory has no content */
  return add_derived_value_once(&f, value) &&
         (made == IR_NONE || coro_vec_push(c->arena, &uses->items, ((struct memory_use){made, MEMORY_STARTS}))) &&
         add_stack_restores(&f, made) && add_uses_of_derived_from(&f, 0);
}

bool memory_uses_add_uses_of_call_results(struct check *c, uint32_t value, struct memory_uses *uses)
{
  struct finder f = finder_of(c, value, uses);
  uint32_t direct = uses->derived.count;
  for (uint32_t d = 0; d < direct; d++)
    if (!coro_map_put(&f.seen, (uint64_t)uses->derived.items[d] + 1, 1))
      return false;
  for (uint32_t r = 0; r < uses->returned.count; r++) {
    uint32_t first = uses->derived.count;
    if (!add_derived_value_once(&f, uses->returned.items[r]) || !add_uses_of_derived_from(&f, first))
      return false;
  }
  return true;
}
