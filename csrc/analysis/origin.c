/* Finds the base operands of address computations. */
#include "analysis/origin.h"

#include "analysis/instruction_list.h"
#include "ir/operand.h"

static bool is_pointer_or_integer(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMPointerTypeKind || kind == LLVMIntegerTypeKind;
}

struct origin_operands origin_operands(const struct ir_fn *fn, uint32_t inst)
{
  static const struct origin_operands none = {0, 0}, first = {ADDRESS_BASE, 1};
  if (!is_pointer_or_integer(LLVMTypeOf(fn->insts[inst])))
    return none;
  switch (fn->opcode[inst]) {
  case LLVMGetElementPtr:
  case LLVMPtrToInt:
  case LLVMIntToPtr:
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
  case LLVMFreeze: return first;
  case LLVMSelect: return (struct origin_operands){SELECT_TRUE, 2};
  case LLVMPHI: return (struct origin_operands){PHI_FIRST, ir_phi_count(fn, inst)};
  default: return none;
  }
}

bool origin_phi_has_one_value(const struct ir_fn *fn, uint32_t phi)
{
  for (uint32_t k = 1; k < ir_phi_count(fn, phi); k++)
    if (ir_operand(fn, phi, k) != ir_operand(fn, phi, PHI_FIRST))
      return false;
  return true;
}

/* Whether all operands that are aliases of the alloca are base operands. False for an addrspacecast if the phi is an
   integer: an address converted to an integer in another address space differs by an unknown amount. */
static bool has_alias_only_as_base_operand(const struct ir_fn *fn, uint32_t inst, bool is_number,
                                           bool (*is_alias_of_alloca)(const void *context, uint32_t value),
                                           const void *context)
{
  struct origin_operands from = origin_operands(fn, inst);
  if (is_number && fn->opcode[inst] == LLVMAddrSpaceCast)
    return false;
  for (uint32_t k = 0; fn->operand_start[inst] + k < fn->operand_start[inst + 1]; k++) {
    uint32_t operand = ir_operand(fn, inst, k);
    bool alias = operand != IR_NONE && !(operand & IR_BLOCK) && is_alias_of_alloca(context, operand);
    if (alias && (k < from.first || k >= from.first + from.count))
      return false;
  }
  return true;
}

bool visit_base_values(const struct ir_fn *fn, struct coro_arena *arena, uint32_t value,
                       bool (*continues_at)(void *context, uint32_t value), void *context)
{
  coro_insts work = {0};
  struct coro_map seen;
  coro_map_init(&seen, arena);
  if (!coro_vec_push(arena, &work, value))
    return false;
  while (work.count) {
    uint32_t at = work.items[--work.count];
    if (at == IR_NONE || coro_map_has(&seen, (uint64_t)at + 1))
      continue;
    if (!coro_map_put(&seen, (uint64_t)at + 1, 1))
      return false;
    if (!continues_at(context, at))
      continue;
    uint32_t inst = ir_inst_of_value(fn, at);
    struct origin_operands from = origin_operands(fn, inst);
    for (uint32_t k = from.first; k < from.first + from.count; k++)
      if (!coro_vec_push(arena, &work, ir_operand(fn, inst, k)))
        return false;
  }
  return true;
}

struct known {
  const struct ir_fn *fn;
  bool (*is_alias_of_alloca)(const void *user, uint32_t value);
  const void *user;
  bool is_number, known;
  uint32_t phi; /* its value */
};

static bool check_origin_and_continue_if_known(void *context, uint32_t value)
{
  struct known *k = context;
  uint32_t inst = ir_inst_of_value(k->fn, value);
  if (inst == IR_NONE || k->fn->opcode[inst] == LLVMAlloca ||
      (value != k->phi && !k->is_alias_of_alloca(k->user, value)))
    return false;
  k->known = k->known && has_alias_only_as_base_operand(k->fn, inst, k->is_number, k->is_alias_of_alloca, k->user);
  return k->known;
}

bool origin_check_phi_is_of_alloca(const struct ir_fn *fn, struct coro_arena *arena, uint32_t phi,
                                   bool (*is_alias_of_alloca)(const void *context, uint32_t value), const void *context,
                                   bool *known)
{
  bool is_number = LLVMGetTypeKind(LLVMTypeOf(fn->insts[phi])) == LLVMIntegerTypeKind;
  struct known k = {fn, is_alias_of_alloca, context, is_number, true, ir_value_of_inst(fn, phi)};
  if (!visit_base_values(fn, arena, k.phi, check_origin_and_continue_if_known, &k))
    return false;
  *known = k.known;
  return true;
}
