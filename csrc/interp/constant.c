/* Evaluates constants to cells, memoized. */
#include "interp/constant.h"

#include <string.h>

#include "interp/execution_error.h"
#include "interp/global_address.h"

/* LLVM-C returns at most 64 bits of an integer constant; its text has all. */
static u128 integer_constant_bits(LLVMValueRef constant, unsigned bits)
{
  char *text = LLVMPrintValueToString(constant); /* "i100 -12" */
  const char *at = strchr(text, ' ');
  u128 value = 0;
  bool negative = at && at[1] == '-';
  for (at = at ? at + 1 + negative : ""; *at >= '0' && *at <= '9'; at++)
    value = 10 * value + (u128)(*at - '0');
  LLVMDisposeMessage(text);
  return (negative ? -value : value) & integer_mask(bits);
}

/* LLVM prints types without a C equivalent as bits: "half 0xH3C00". */
static bool write_real_constant(const struct layout *type, LLVMValueRef constant, struct cell *out)
{
  unsigned bits = type->leaves[0].bits;
  LLVMBool lost;
  double value = LLVMConstRealGetDouble(constant, &lost);
  float narrow = (float)value;
  *out = cell_of(0);
  if (bits == 64 || bits == 32) {
    memcpy(&out->bits, bits == 64 ? (void *)&value : (void *)&narrow, bits / 8);
    return true;
  }
  char *text = LLVMPrintValueToString(constant);
  const char *hex = strstr(text, "0x");
  bool known = hex && (hex[2] == 'H' || hex[2] == 'R' || hex[2] == 'K');
  for (hex = known ? hex + 3 : ""; *hex; hex++)
    out->bits = out->bits << 4 | (u128)(*hex <= '9' ? *hex - '0' : (*hex | 32) - 'a' + 10);
  LLVMDisposeMessage(text);
  return known;
}

static bool write_constant_to_cells(struct interp *in, LLVMValueRef constant, struct cell *out);

static bool write_element_constants(struct interp *in, LLVMValueRef constant, struct cell *out)
{
  uint64_t count = layout_element_count(LLVMTypeOf(constant));
  for (uint64_t i = 0; i < count; i++) {
    LLVMValueRef element = LLVMGetAggregateElement(constant, (unsigned)i);
    const struct layout *type = element ? layout_of_llvm_type(in, LLVMTypeOf(element)) : NULL;
    if (!type || !write_constant_to_cells(in, element, out))
      return false;
    out += type->count;
  }
  return true;
}

static bool fill_each_scalar_and_return_true(const struct layout *type, struct cell *out,
                                             struct cell (*make_cell_or_null_for_zero)(unsigned bits))
{
  for (uint32_t i = 0; i < type->count; i++)
    out[i] = make_cell_or_null_for_zero ? make_cell_or_null_for_zero(type->leaves[i].bits) : cell_of(0);
  return true;
}

/* Executes the constant expression's operation on its operands. */
static bool write_constant_expression(struct interp *in, LLVMValueRef constant, const struct layout *type,
                                      struct cell *out)
{
  struct operand operands[8];
  struct op op = {.type = type, .operands = operands, .inst = constant, .slot = 0};
  struct activation act = {.cells = out};
  struct decoding decoding = {in, NULL, &op};
  op.opcode = (unsigned char)LLVMGetConstOpcode(constant);
  op.count = (uint32_t)LLVMGetNumOperands(constant);
  if (op.count > sizeof operands / sizeof *operands)
    return false;
  for (uint32_t k = 0; k < op.count; k++) {
    LLVMValueRef value = LLVMGetOperand(constant, k);
    operands[k] =
        (struct operand){constant_value_cells_or_null(in, value), layout_of_llvm_type(in, LLVMTypeOf(value)), 0};
    if (!operands[k].constant || !operands[k].type || operands[k].type->unsupported)
      return false;
  }
  op.run = in->opcodes[op.opcode].run;
  switch (op.opcode) {
  case LLVMGetElementPtr:
    if (!in->opcodes[op.opcode].decode(&decoding))
      return false;
    break;
  case LLVMAdd:
  case LLVMSub:
  case LLVMXor:
  case LLVMBitCast:
  case LLVMTrunc:
  case LLVMPtrToInt:
  case LLVMPtrToAddr:
  case LLVMIntToPtr:
  case LLVMAddrSpaceCast: break;
  default: return false;
  }
  if (op.run == interp_stop_unsupported)
    return false;
  op.run(in, &act, &op);
  return !in->status;
}

static bool write_global_address_constant(struct interp *in, LLVMValueRef constant, struct cell *out)
{
  for (int depth = 0; LLVMIsAGlobalAlias(constant) && depth < 64; depth++)
    constant = LLVMAliasGetAliasee(constant);
  if (LLVMIsAFunction(constant) || LLVMIsAGlobalVariable(constant)) {
    *out = cell_of(global_address_or_allocate(in, constant));
  } else { /* an alias of a constant expression */
    bool constants = LLVMIsConstant(constant) && !LLVMIsAGlobalAlias(constant);
    const struct cell *cells = constants ? constant_value_cells_or_null(in, constant) : NULL;
    *out = cell_of(cells ? cells->bits : 0);
  }
  return out->bits != 0;
}

static bool write_blockaddress(struct interp *in, LLVMValueRef constant, struct cell *out)
{
  struct function *function = function_get_or_create(in, LLVMGetBlockAddressFunction(constant));
  LLVMBasicBlockRef block = LLVMGetBlockAddressBasicBlock(constant);
  struct code *code = function ? code_get_or_create(in, block, CODE_BLOCK, function, IR_NONE) : NULL;
  *out = cell_of((uintptr_t)code);
  return code != NULL;
}

static bool write_constant_to_cells(struct interp *in, LLVMValueRef constant, struct cell *out)
{
  const struct layout *type = layout_of_llvm_type(in, LLVMTypeOf(constant));
  if (!type || type->unsupported)
    return false;
  switch (LLVMGetValueKind(constant)) {
  case LLVMConstantIntValueKind:
    if (LLVMGetTypeKind(type->type) == LLVMVectorTypeKind)
      return write_element_constants(in, constant, out);
    *out = cell_of(type->leaves[0].bits > 64 ? integer_constant_bits(constant, type->leaves[0].bits)
                                             : LLVMConstIntGetZExtValue(constant));
    return true;
  case LLVMConstantFPValueKind:
    if (LLVMGetTypeKind(type->type) == LLVMVectorTypeKind)
      return write_element_constants(in, constant, out);
    return write_real_constant(type, constant, out);
  case LLVMConstantPointerNullValueKind:
  case LLVMConstantAggregateZeroValueKind:
  case LLVMConstantTokenNoneValueKind: return fill_each_scalar_and_return_true(type, out, NULL);
  case LLVMUndefValueValueKind: return fill_each_scalar_and_return_true(type, out, cell_undef);
  case LLVMPoisonValueValueKind: return fill_each_scalar_and_return_true(type, out, cell_poison);
  case LLVMConstantArrayValueKind:
  case LLVMConstantStructValueKind:
  case LLVMConstantVectorValueKind:
  case LLVMConstantDataArrayValueKind:
  case LLVMConstantDataVectorValueKind: return write_element_constants(in, constant, out);
  case LLVMConstantExprValueKind: return write_constant_expression(in, constant, type, out);
  case LLVMFunctionValueKind:
  case LLVMGlobalVariableValueKind:
  case LLVMGlobalAliasValueKind: return write_global_address_constant(in, constant, out);
  case LLVMBlockAddressValueKind: return write_blockaddress(in, constant, out);
  default: return false;
  }
}

enum { MAX_DEPTH = 256 }; /* nesting of constants and aliases; bounds the stack */

const struct cell *constant_value_cells_or_null(struct interp *in, LLVMValueRef constant)
{
  uint64_t found;
  if (coro_map_get(&in->constants, (uintptr_t)constant, &found))
    return (const struct cell *)(uintptr_t)found;
  const struct layout *type = layout_of_llvm_type(in, LLVMTypeOf(constant));
  struct cell *cells = type && !type->unsupported ? CORO_NEW_ARRAY(in->arena, struct cell, type->count + 1) : NULL;
  bool written = cells && in->constant_depth < MAX_DEPTH;
  in->constant_depth++;
  written = written && write_constant_to_cells(in, constant, cells);
  in->constant_depth--;
  if (!written)
    return NULL;
  return coro_map_put(&in->constants, (uintptr_t)constant, (uintptr_t)cells) ? cells : NULL;
}
