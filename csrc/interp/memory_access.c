/* Executes memory instructions and address computations.
   Requires: memory.c.
   Guarantees: an undefined, misaligned or invalid address ends the execution. */
#include "interp/execution_error.h"
#include "interp/handlers.h"
#include "interp/memory.h"

/* LLVM-C returns 0 for 2^32, the only alignment that does not fit its result. */
bool decode_load_or_store(struct decoding *d)
{
  d->op->detail = LLVMGetAlignment(d->op->inst);
  if (!d->op->detail)
    d->op->run = interp_stop_unsupported;
  return true;
}

/* The address in operand `k`; 0 if it is invalid, after ending the execution. */
static uint64_t read_aligned_nonnull_address_operand(struct interp *in, const struct activation *act,
                                                     const struct op *op, uint32_t k)
{
  uint64_t address = (uint64_t)interp_read_defined_operand(in, act, op, k, "an address");
  if (in->status)
    return 0;
  if (op->detail && address % op->detail)
    interp_stop_with_error(in, op, CORO_EUNDEFINED, "misaligned", "address %#llx is not aligned to %u",
                           (unsigned long long)address, op->detail);
  else if (!address)
    interp_stop_undefined_behavior(in, op, "no-memory-there", "a null pointer is used as an address");
  return in->status ? 0 : address;
}

void run_load(struct interp *in, struct activation *act, const struct op *op)
{
  uint64_t address = read_aligned_nonnull_address_operand(in, act, op, 0);
  if (address)
    memory_load_value_checked(in, op, address, op->type, result_cells(act, op));
}

void run_store(struct interp *in, struct activation *act, const struct op *op)
{
  uint64_t address = read_aligned_nonnull_address_operand(in, act, op, 1);
  if (address)
    memory_store_value_checked(in, op, address, op->operands[0].type, operand_cells(act, op, 0));
}

bool decode_alloca(struct decoding *d)
{
  const struct layout *type = layout_of_llvm_type(d->in, LLVMGetAllocatedType(d->op->inst));
  d->op->more = type;
  decode_load_or_store(d);
  if (type && type->unsupported && !type->size)
    d->op->run = interp_stop_unsupported;
  return type != NULL;
}

void run_alloca(struct interp *in, struct activation *act, const struct op *op)
{
  const struct layout *type = op->more;
  u128 count = interp_read_defined_operand(in, act, op, 0, "the size of a variable");
  if (in->status)
    return;
  struct block **list = allocas_of_activation(act);
  uint64_t size;
  if (count > UINT32_MAX || __builtin_mul_overflow(type->size, (uint64_t)count, &size))
    size = UINT64_MAX;
  struct origin origin = {.kind = OBJECT_VARIABLE, .value = op->inst};
  *result_cells(act, op) = cell_of(object_allocate_in_list(in, list, size, op->detail, origin));
}

/* ---- Address computation ---- */

struct gep {
  uint64_t constant;
  uint32_t count;
  struct {
    uint32_t operand;
    uint64_t stride;
  } steps[];
};

static LLVMValueRef constant_of_all_lanes(LLVMValueRef constant) /* struct indices are equal in all lanes of a vector */
{
  LLVMValueRef element = LLVMIsAConstantInt(constant) ? constant : LLVMGetAggregateElement(constant, 0);
  return element && LLVMIsAConstantInt(element) ? element : NULL;
}

static bool is_type_sized(struct interp *in, LLVMTypeRef type)
{
  const struct layout *layout = layout_of_llvm_type(in, type);
  return layout && LLVMTypeIsSized(type) && (!layout->unsupported || layout->size);
}

/* Decodes one index: adds a stride, or a constant for a struct field. */
static bool decode_gep_index(struct decoding *d, LLVMTypeRef *type, bool first, uint32_t k, struct gep *gep)
{
  LLVMValueRef index = LLVMGetOperand(d->op->inst, k);
  if (!is_type_sized(d->in, first || LLVMGetTypeKind(*type) == LLVMStructTypeKind ? *type : LLVMGetElementType(*type)))
    return false;
  if (!first && LLVMGetTypeKind(*type) == LLVMStructTypeKind) {
    LLVMValueRef field = constant_of_all_lanes(index);
    if (!field)
      return false;
    unsigned n = (unsigned)LLVMConstIntGetZExtValue(field);
    gep->constant += LLVMOffsetOfElement(d->in->target, *type, n);
    *type = LLVMStructGetTypeAtIndex(*type, n);
    return true;
  }
  *type = first ? *type : LLVMGetElementType(*type);
  gep->steps[gep->count].operand = k;
  gep->steps[gep->count++].stride = LLVMABISizeOfType(d->in->target, *type);
  return true;
}

bool decode_gep(struct decoding *d)
{
  uint32_t count = (uint32_t)LLVMGetNumOperands(d->op->inst);
  struct gep *gep = coro_arena_zalloc(d->in->arena, 1, sizeof *gep + count * sizeof *gep->steps);
  LLVMTypeRef type = LLVMGetGEPSourceElementType(d->op->inst);
  if (!gep)
    return false;
  for (uint32_t k = 1; k < count; k++)
    if (!decode_gep_index(d, &type, k == 1, k, gep))
      d->op->run = interp_stop_unsupported;
  d->op->more = gep;
  return true;
}

static struct cell sign_extended_gep_index_for_lane(const struct activation *act, const struct op *op, uint32_t k,
                                                    uint32_t lane)
{
  const struct layout *type = op->operands[k].type;
  struct cell cell = operand_cells(act, op, k)[type->count == 1 ? 0 : lane];
  cell.bits = (u128)integer_signed(cell.bits, type->leaves[0].bits);
  return cell;
}

void run_gep(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  const struct gep *gep = op->more;
  for (uint32_t lane = 0; lane < op->type->count; lane++) {
    struct cell sum = operand_cells(act, op, 0)[op->operands[0].type->count == 1 ? 0 : lane];
    bool undef = sum.undef != 0, poison = sum.poison;
    uint64_t address = (uint64_t)sum.bits + gep->constant;
    for (uint32_t i = 0; i < gep->count; i++) {
      struct cell index = sign_extended_gep_index_for_lane(act, op, gep->steps[i].operand, lane);
      undef |= index.undef != 0;
      poison |= index.poison;
      address += (uint64_t)index.bits * gep->steps[i].stride;
    }
    struct cell *out = result_cells(act, op) + lane;
    *out = poison ? cell_poison(64) : undef ? cell_undef(64) : cell_of(address);
  }
}

/* ---- Atomics: plain loads and stores, as execution is single-threaded ---- */

void run_cmpxchg(struct interp *in, struct activation *act, const struct op *op)
{
  const struct layout *type = op->operands[1].type;
  const struct cell *expected = operand_cells(act, op, 1);
  struct cell *out = result_cells(act, op);
  uint64_t address = read_aligned_nonnull_address_operand(in, act, op, 0);
  if (!address)
    return;
  memory_load_value_checked(in, op, address, type, out);
  if (out[0].undef || expected->undef)
    interp_stop_undefined_behavior(in, op, "undef", "what is stored depends on a value that is undefined");
  if (in->status)
    return;
  out[1] = cell_of(out[0].bits == expected->bits);
  if (out[1].bits)
    memory_store_value_checked(in, op, address, type, operand_cells(act, op, 2));
}

static u128 atomicrmw_result(LLVMAtomicRMWBinOp what, u128 old, u128 operand, unsigned bits)
{
  i128 x = integer_signed(old, bits), y = integer_signed(operand, bits);
  switch (what) {
  case LLVMAtomicRMWBinOpXchg: return operand;
  case LLVMAtomicRMWBinOpAdd: return old + operand;
  case LLVMAtomicRMWBinOpSub: return old - operand;
  case LLVMAtomicRMWBinOpAnd: return old & operand;
  case LLVMAtomicRMWBinOpNand: return ~(old & operand);
  case LLVMAtomicRMWBinOpOr: return old | operand;
  case LLVMAtomicRMWBinOpXor: return old ^ operand;
  case LLVMAtomicRMWBinOpMax: return x > y ? old : operand;
  case LLVMAtomicRMWBinOpMin: return x < y ? old : operand;
  case LLVMAtomicRMWBinOpUMax: return old > operand ? old : operand;
  case LLVMAtomicRMWBinOpUMin: return old < operand ? old : operand;
  default: return 0;
  }
}

void run_atomicrmw(struct interp *in, struct activation *act, const struct op *op)
{
  LLVMAtomicRMWBinOp what = LLVMGetAtomicRMWBinOp(op->inst);
  const struct cell *value = operand_cells(act, op, 1);
  struct cell *out = result_cells(act, op);
  bool floating = op->type->leaves[0].kind == LEAF_FLOAT && what != LLVMAtomicRMWBinOpXchg;
  if (floating || what > LLVMAtomicRMWBinOpUMin) {
    interp_stop_unsupported(in, act, op);
    return;
  }
  uint64_t address = read_aligned_nonnull_address_operand(in, act, op, 0);
  if (!address)
    return;
  memory_load_value_checked(in, op, address, op->type, out);
  unsigned bits = op->type->leaves[0].bits;
  bool xchg = what == LLVMAtomicRMWBinOpXchg, undef = (out->undef && !xchg) || value->undef;
  struct cell stored = cell_of(atomicrmw_result(what, out->bits, value->bits, bits) & integer_mask(bits));
  if (undef)
    stored = out->poison || value->poison ? cell_poison(bits) : cell_undef(bits);
  memory_store_value_checked(in, op, address, op->type, &stored);
}
