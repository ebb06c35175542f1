/* Executes integer instructions, scalar by scalar, with bit-precise tracking of undefined bits where that is cheap.
   Requires: operands of one type.
   Guarantees: violated flags give poison; undefined division ends the execution. */
#include "interp/integer.h"

#include "interp/execution_error.h"
#include "interp/handlers.h"

static bool is_signed_overflow(unsigned bits, u128 a, u128 b, u128 r)
{
  return ((a ^ r) & (b ^ r)) >> (bits - 1) & 1;
}

bool integer_add_overflows(unsigned bits, bool is_signed, u128 a, u128 b)
{
  u128 r = (a + b) & integer_mask(bits);
  return is_signed ? is_signed_overflow(bits, a, b, r) : r < a;
}

bool integer_sub_overflows(unsigned bits, bool is_signed, u128 a, u128 b)
{
  u128 r = (a - b) & integer_mask(bits);
  return is_signed ? is_signed_overflow(bits, a, ~b, r) : a < b;
}

bool integer_mul_overflows(unsigned bits, bool is_signed, u128 a, u128 b)
{
  u128 wide;
  i128 product;
  if (!is_signed)
    return __builtin_mul_overflow(a, b, &wide) || wide > integer_mask(bits);
  return __builtin_mul_overflow(integer_signed(a, bits), integer_signed(b, bits), &product) ||
         product != integer_signed((u128)product & integer_mask(bits), bits);
}

/* Carries propagate upwards: all bits from the lowest undefined bit on are undefined. */
static struct cell with_undefined_carries(unsigned bits, u128 value, const struct cell *a, const struct cell *b)
{
  u128 undef = a->undef | b->undef;
  if (a->poison || b->poison)
    return cell_poison(bits);
  undef = undef ? ~((undef & -undef) - 1) & integer_mask(bits) : 0;
  return (struct cell){value & integer_mask(bits) & ~undef, undef, false};
}

static bool violates_wrap_flags(unsigned bits, uint32_t flags, const struct cell *a, const struct cell *b,
                                bool (*overflows)(unsigned, bool, u128, u128))
{
  return !(a->undef | b->undef) && ((flags & OP_NUW && overflows(bits, false, a->bits, b->bits)) ||
                                    (flags & OP_NSW && overflows(bits, true, a->bits, b->bits)));
}

struct cell integer_add(unsigned bits, uint32_t flags, const struct cell *a, const struct cell *b)
{
  return violates_wrap_flags(bits, flags, a, b, integer_add_overflows)
             ? cell_poison(bits)
             : with_undefined_carries(bits, a->bits + b->bits, a, b);
}

struct cell integer_sub(unsigned bits, uint32_t flags, const struct cell *a, const struct cell *b)
{
  return violates_wrap_flags(bits, flags, a, b, integer_sub_overflows)
             ? cell_poison(bits)
             : with_undefined_carries(bits, a->bits - b->bits, a, b);
}

struct cell integer_mul(unsigned bits, uint32_t flags, const struct cell *a, const struct cell *b)
{
  return violates_wrap_flags(bits, flags, a, b, integer_mul_overflows)
             ? cell_poison(bits)
             : with_undefined_carries(bits, a->bits * b->bits, a, b);
}

static struct cell make_bitwise_result(unsigned bits, const struct cell *a, const struct cell *b, u128 value,
                                       u128 undef)
{
  if (a->poison || b->poison)
    return cell_poison(bits);
  return (struct cell){value & ~undef & integer_mask(bits), undef & integer_mask(bits), false};
}

static struct cell compute_and(unsigned bits, uint32_t flags, const struct cell *a, const struct cell *b)
{
  (void)flags;
  u128 undef = (a->undef & (b->bits | b->undef)) | (b->undef & (a->bits | a->undef));
  return make_bitwise_result(bits, a, b, a->bits & b->bits, undef);
}

static struct cell compute_or(unsigned bits, uint32_t flags, const struct cell *a, const struct cell *b)
{
  if (flags & OP_DISJOINT && a->bits & b->bits)
    return cell_poison(bits);
  return make_bitwise_result(bits, a, b, a->bits | b->bits, (a->undef & ~b->bits) | (b->undef & ~a->bits));
}

static struct cell compute_xor(unsigned bits, uint32_t flags, const struct cell *a, const struct cell *b)
{
  (void)flags;
  return make_bitwise_result(bits, a, b, a->bits ^ b->bits, a->undef | b->undef);
}

/* True if the shift amount is undefined or too large; *out is the result then. */
static bool has_invalid_shift_amount_or_poison(unsigned bits, const struct cell *a, const struct cell *b,
                                               struct cell *out)
{
  if (a->poison || b->poison || (!b->undef && b->bits >= bits)) {
    *out = cell_poison(bits);
    return true;
  }
  *out = cell_undef(bits);
  return b->undef != 0;
}

static struct cell compute_shl(unsigned bits, uint32_t flags, const struct cell *a, const struct cell *b)
{
  struct cell out;
  if (has_invalid_shift_amount_or_poison(bits, a, b, &out))
    return out;
  unsigned by = (unsigned)b->bits;
  u128 value = a->bits << by & integer_mask(bits);
  if (!a->undef && ((flags & OP_NUW && value >> by != a->bits) ||
                    (flags & OP_NSW && integer_signed(value, bits) >> by != integer_signed(a->bits, bits))))
    return cell_poison(bits);
  return (struct cell){value, a->undef << by & integer_mask(bits), false};
}

/* The amount of a right shift. False: the result is *out instead. */
static bool read_right_shift_amount(unsigned bits, uint32_t flags, const struct cell *a, const struct cell *b,
                                    unsigned *by, struct cell *out)
{
  if (has_invalid_shift_amount_or_poison(bits, a, b, out))
    return false;
  *by = (unsigned)b->bits;
  *out = cell_poison(bits);
  return !(flags & OP_EXACT && a->bits & integer_mask(*by));
}

static struct cell compute_lshr(unsigned bits, uint32_t flags, const struct cell *a, const struct cell *b)
{
  struct cell out;
  unsigned by;
  return read_right_shift_amount(bits, flags, a, b, &by, &out) ? (struct cell){a->bits >> by, a->undef >> by, false}
                                                               : out;
}

static struct cell compute_ashr(unsigned bits, uint32_t flags, const struct cell *a, const struct cell *b)
{
  struct cell out;
  unsigned by;
  if (!read_right_shift_amount(bits, flags, a, b, &by, &out))
    return out;
  u128 mask = integer_mask(bits), undef = (u128)(integer_signed(a->undef, bits) >> by) & mask;
  return (struct cell){(u128)(integer_signed(a->bits, bits) >> by) & mask & ~undef, undef, false};
}

static void compute_elementwise_binary(struct interp *in, const struct activation *act, const struct op *op,
                                       integer_op *work)
{
  (void)in;
  const struct cell *a = operand_cells(act, op, 0), *b = operand_cells(act, op, 1);
  struct cell *out = result_cells(act, op);
  for (uint32_t i = 0; i < op->type->count; i++)
    out[i] = work(op->type->leaves[i].bits, op->flags, &a[i], &b[i]);
}

HANDLER(run_add, compute_elementwise_binary, integer_add)
HANDLER(run_sub, compute_elementwise_binary, integer_sub)
HANDLER(run_mul, compute_elementwise_binary, integer_mul)
HANDLER(run_and, compute_elementwise_binary, compute_and)
HANDLER(run_or, compute_elementwise_binary, compute_or)
HANDLER(run_xor, compute_elementwise_binary, compute_xor)
HANDLER(run_shl, compute_elementwise_binary, compute_shl)
HANDLER(run_lshr, compute_elementwise_binary, compute_lshr)
HANDLER(run_ashr, compute_elementwise_binary, compute_ashr)

/* ---- Division ---- */

static bool stop_if_division_is_undefined(struct interp *in, const struct op *op, unsigned bits, bool is_signed,
                                          const struct cell *a, const struct cell *b)
{
  const char *what = NULL;
  if (b->undef)
    what = "the divisor is undefined";
  else if (!b->bits)
    what = "the divisor is 0";
  else if (is_signed && b->bits == integer_mask(bits) && a->bits == (u128)1 << (bits - 1) && !a->undef)
    what = "the quotient does not fit the type";
  if (what)
    interp_stop_undefined_behavior(in, op, "division", what);
  return what != NULL;
}

static void run_division(struct interp *in, const struct activation *act, const struct op *op, bool is_signed,
                         u128 (*work)(unsigned, u128, u128))
{
  const struct cell *a = operand_cells(act, op, 0), *b = operand_cells(act, op, 1);
  struct cell *out = result_cells(act, op);
  for (uint32_t i = 0; i < op->type->count; i++) {
    unsigned bits = op->type->leaves[i].bits;
    if (stop_if_division_is_undefined(in, op, bits, is_signed, &a[i], &b[i]))
      return;
    u128 value = work(bits, a[i].bits, b[i].bits) & integer_mask(bits);
    bool inexact = op->flags & OP_EXACT && ((value * b[i].bits) & integer_mask(bits)) != a[i].bits;
    out[i] = cell_unless_undefined(a[i].poison || (inexact && !a[i].undef), a[i].undef, bits, value);
  }
}

#define DIVISION(name, is_signed, expression)                                                                          \
  static u128 name##_of(unsigned bits, u128 a, u128 b)                                                                 \
  {                                                                                                                    \
    (void)bits;                                                                                                        \
    return (u128)(expression);                                                                                         \
  }                                                                                                                    \
  HANDLER(name, run_division, is_signed, name##_of)
DIVISION(run_udiv, false, a / b)
DIVISION(run_urem, false, a % b)
DIVISION(run_sdiv, true, integer_signed(a, bits) / integer_signed(b, bits))
DIVISION(run_srem, true, integer_signed(a, bits) % integer_signed(b, bits))

/* ---- Comparison ---- */

static struct cell compare_integers(const struct op *op, const struct cell *a, const struct cell *b, unsigned bits)
{
  LLVMIntPredicate predicate = (LLVMIntPredicate)op->detail;
  u128 undef = a->undef | b->undef;
  bool equality = predicate == LLVMIntEQ || predicate == LLVMIntNE;
  if (a->poison || b->poison)
    return cell_poison(1);
  if (op->flags & OP_SAMESIGN && !undef && (a->bits ^ b->bits) >> (bits - 1) & 1)
    return cell_poison(1);
  if (undef && equality && (a->bits ^ b->bits) & ~undef)
    return cell_of(predicate == LLVMIntNE); /* they differ in a defined bit */
  return undef ? cell_undef(1) : cell_of(integer_compare(predicate, a->bits, b->bits, bits));
}

void run_icmp(struct interp *in, struct activation *act, const struct op *op)
{
  (void)in;
  const struct cell *a = operand_cells(act, op, 0), *b = operand_cells(act, op, 1);
  struct cell *out = result_cells(act, op);
  for (uint32_t i = 0; i < op->type->count; i++)
    out[i] = compare_integers(op, &a[i], &b[i], op->operands[0].type->leaves[i].bits);
}

/* ---- Width ---- */

static struct cell zext_scalar(const struct op *op, const struct cell *a, unsigned from_bits, unsigned to_bits)
{
  u128 mask = integer_mask(to_bits);
  bool negative = op->flags & OP_NNEG && a->bits >> (from_bits - 1) & 1;
  return a->poison || negative ? cell_poison(to_bits) : (struct cell){a->bits & mask, a->undef & mask, false};
}

static struct cell trunc_scalar(const struct op *op, const struct cell *a, unsigned from_bits, unsigned to_bits)
{
  u128 value = a->bits & integer_mask(to_bits);
  bool loses_bits = (op->flags & OP_NUW && value != a->bits) ||
                    (op->flags & OP_NSW && integer_signed(value, to_bits) != integer_signed(a->bits, from_bits));
  if (a->poison || (loses_bits && !a->undef))
    return cell_poison(to_bits);
  return (struct cell){value, a->undef & integer_mask(to_bits), false};
}

static struct cell sext_scalar(const struct op *op, const struct cell *a, unsigned from_bits, unsigned to_bits)
{
  (void)op;
  u128 mask = integer_mask(to_bits), undef = (u128)integer_signed(a->undef, from_bits) & mask;
  u128 value = (u128)integer_signed(a->bits, from_bits) & mask & ~undef;
  return a->poison ? cell_poison(to_bits) : (struct cell){value, undef, false};
}

HANDLER(run_zext, compute_each_scalar, zext_scalar)
HANDLER(run_trunc, compute_each_scalar, trunc_scalar)
HANDLER(run_sext, compute_each_scalar, sext_scalar)
