/* Executes arithmetic intrinsics: integer operations, overflow checks, floating point.
   Requires: integer.c, floating_point.c.
   Guarantees: undefined operands give undefined results. */
#include <math.h>

#include "interp/execution_error.h"
#include "interp/floating_point.h"
#include "interp/handlers.h"
#include "interp/integer.h"

/* ---- Binary integer operations: any undefined bit makes the result undefined ---- */

typedef u128 integer_function(unsigned bits, u128 a, u128 b);

static void compute_elementwise_binary(struct interp *in, const struct activation *act, const struct op *op,
                                       integer_function *work)
{
  (void)in;
  const struct cell *a = operand_cells(act, op, 0), *b = operand_cells(act, op, 1);
  for (uint32_t i = 0; i < op->type->count; i++) {
    unsigned bits = op->type->leaves[i].bits;
    struct cell *out = result_cells(act, op) + i;
    *out = cell_unless_undefined(a[i].poison || b[i].poison, a[i].undef || b[i].undef, bits,
                                 work(bits, a[i].bits, b[i].bits) & integer_mask(bits));
  }
}

#define EACH(name, expression)                                                                                         \
  static u128 name##_of(unsigned bits, u128 a, u128 b)                                                                 \
  {                                                                                                                    \
    i128 x = integer_signed(a, bits), y = integer_signed(b, bits);                                                     \
    u128 most = integer_mask(bits), least = (u128)1 << (bits - 1); /* least: the smallest signed value */              \
    (void)x, (void)y, (void)most, (void)least;                                                                         \
    return expression;                                                                                                 \
  }                                                                                                                    \
  HANDLER(name, compute_elementwise_binary, name##_of)
EACH(run_smax, x > y ? a : b)
EACH(run_smin, x < y ? a : b)
EACH(run_umax, a > b ? a : b)
EACH(run_umin, a < b ? a : b)
EACH(run_uadd_sat, integer_add_overflows(bits, false, a, b) ? most : a + b)
EACH(run_usub_sat, a < b ? 0 : a - b)
EACH(run_sadd_sat, integer_add_overflows(bits, true, a, b) ? (x < 0 ? least : least - 1) : a + b)
EACH(run_ssub_sat, integer_sub_overflows(bits, true, a, b) ? (x < 0 ? least : least - 1) : a - b)

static u128 count_ones(unsigned bits, u128 a, u128 unused)
{
  (void)bits, (void)unused;
  return (u128)(__builtin_popcountll((uint64_t)a) + __builtin_popcountll((uint64_t)(a >> 64)));
}

static u128 count_leading_zeros(unsigned bits, u128 a, u128 unused)
{
  (void)unused;
  unsigned count = 0;
  while (count < bits && !(a >> (bits - 1 - count) & 1))
    count++;
  return count;
}

static u128 count_trailing_zeros(unsigned bits, u128 a, u128 unused)
{
  (void)unused;
  unsigned count = 0;
  while (count < bits && !(a >> count & 1))
    count++;
  return count;
}

static u128 swap_bytes(unsigned bits, u128 a, u128 unused)
{
  (void)unused;
  u128 out = 0;
  for (unsigned i = 0; i < bits; i += 8)
    out |= (a >> i & 0xff) << (bits - 8 - i);
  return out;
}

static u128 reverse_bits(unsigned bits, u128 a, u128 unused)
{
  (void)unused;
  u128 out = 0;
  for (unsigned i = 0; i < bits; i++)
    out |= (a >> i & 1) << (bits - 1 - i);
  return out;
}

static void compute_elementwise_unary(struct interp *in, const struct activation *act, const struct op *op,
                                      integer_function *work)
{
  (void)in;
  const struct cell *a = operand_cells(act, op, 0);
  for (uint32_t i = 0; i < op->type->count; i++) {
    unsigned bits = op->type->leaves[i].bits;
    result_cells(act, op)[i] =
        cell_unless_undefined(a[i].poison, a[i].undef, bits, work(bits, a[i].bits, 0) & integer_mask(bits));
  }
}

HANDLER(run_ctpop, compute_elementwise_unary, count_ones)
HANDLER(run_bswap, compute_elementwise_unary, swap_bytes)
HANDLER(run_bitreverse, compute_elementwise_unary, reverse_bits)

/* The second operand tells whether the input `poison_input` gives poison. */
static void compute_unary_or_poison(struct interp *in, const struct activation *act, const struct op *op,
                                    integer_function *work, u128 (*poison_input)(unsigned bits))
{
  compute_elementwise_unary(in, act, op, work);
  for (uint32_t i = 0; i < op->type->count; i++) {
    unsigned bits = op->type->leaves[i].bits;
    const struct cell *a = operand_cells(act, op, 0) + i;
    if (operand_cells(act, op, 1)->bits && !a->undef && a->bits == poison_input(bits))
      result_cells(act, op)[i] = cell_poison(bits);
  }
}

static u128 compute_absolute_value(unsigned bits, u128 a, u128 unused)
{
  (void)unused;
  return integer_signed(a, bits) < 0 ? -a : a;
}

static u128 zero_for_poison_input(unsigned bits)
{
  (void)bits;
  return 0;
}

static u128 smallest_signed_integer(unsigned bits)
{
  return (u128)1 << (bits - 1);
}

HANDLER(run_ctlz, compute_unary_or_poison, count_leading_zeros, zero_for_poison_input)
HANDLER(run_cttz, compute_unary_or_poison, count_trailing_zeros, zero_for_poison_input)
HANDLER(run_absolute_value, compute_unary_or_poison, compute_absolute_value, smallest_signed_integer)

/* Funnel shift: shifts the concatenation of a and b by a count modulo the width. */
static void execute_funnel_shift(struct interp *in, const struct activation *act, const struct op *op, bool left)
{
  (void)in;
  for (uint32_t i = 0; i < op->type->count; i++) {
    const struct cell *a = operand_cells(act, op, 0) + i, *b = operand_cells(act, op, 1) + i,
                      *by = operand_cells(act, op, 2) + i;
    unsigned bits = op->type->leaves[i].bits, n = (unsigned)(by->bits % bits);
    u128 value = left ? (n ? a->bits << n | b->bits >> (bits - n) : a->bits)
                      : (n ? b->bits >> n | a->bits << (bits - n) : b->bits);
    bool poison = a->poison || b->poison || by->poison, undef = a->undef || b->undef || by->undef;
    result_cells(act, op)[i] = cell_unless_undefined(poison, undef, bits, value & integer_mask(bits));
  }
}

HANDLER(run_fshl, execute_funnel_shift, true)
HANDLER(run_fshr, execute_funnel_shift, false)

/* ---- Overflow: result and overflow flag ---- */

static void compute_with_overflow(struct interp *in, const struct activation *act, const struct op *op, bool is_signed,
                                  integer_op *work, bool (*overflows)(unsigned, bool, u128, u128))
{
  (void)in;
  uint32_t count = op->type->count / 2;
  for (uint32_t i = 0; i < count; i++) {
    const struct cell *a = operand_cells(act, op, 0) + i, *b = operand_cells(act, op, 1) + i;
    unsigned bits = op->type->leaves[i].bits;
    struct cell *out = result_cells(act, op);
    out[i] = work(bits, 0, a, b);
    bool undef = a->undef || b->undef;
    out[count + i] =
        cell_unless_undefined(undef && out[i].poison, undef, 1, overflows(bits, is_signed, a->bits, b->bits));
  }
}

HANDLER(run_sadd_overflow, compute_with_overflow, true, integer_add, integer_add_overflows)
HANDLER(run_uadd_overflow, compute_with_overflow, false, integer_add, integer_add_overflows)
HANDLER(run_ssub_overflow, compute_with_overflow, true, integer_sub, integer_sub_overflows)
HANDLER(run_usub_overflow, compute_with_overflow, false, integer_sub, integer_sub_overflows)
HANDLER(run_smul_overflow, compute_with_overflow, true, integer_mul, integer_mul_overflows)
HANDLER(run_umul_overflow, compute_with_overflow, false, integer_mul, integer_mul_overflows)

/* ---- Floating point ---- */

REAL(run_real_sqrt, 1, sqrt(v[0]))
REAL(run_real_floor, 1, floor(v[0]))
REAL(run_real_ceil, 1, ceil(v[0]))
REAL(run_real_trunc, 1, trunc(v[0]))
REAL(run_real_round, 1, round(v[0]))
REAL(run_real_rint, 1, nearbyint(v[0]))
REAL(run_real_min, 2, fmin(v[0], v[1]))
REAL(run_real_max, 2, fmax(v[0], v[1]))
static double compute_fma(const double *v)
{
  return fma(v[0], v[1], v[2]);
}

/* fma in double, rounded to float, would round twice. */
static double compute_fmaf(const double *v)
{
  return (double)fmaf((float)v[0], (float)v[1], (float)v[2]);
}

HANDLER(run_real_fma, real_compute_elementwise, 3, op->type->leaves[0].bits == 32 ? compute_fmaf : compute_fma)

/* Not fused, which the language reference permits: the product is rounded, too. */
static double compute_muladd(const double *v)
{
  double product = v[0] * v[1];
  return product + v[2];
}

static double compute_muladdf(const double *v)
{
  float product = (float)(v[0] * v[1]);
  return (double)product + v[2];
}

HANDLER(run_real_muladd, real_compute_elementwise, 3, op->type->leaves[0].bits == 32 ? compute_muladdf : compute_muladd)

/* Only the sign bit changes, also for NaN. */
static void replace_sign_bits(struct interp *in, const struct activation *act, const struct op *op,
                              const struct cell *sign_cells_or_null)
{
  (void)in;
  for (uint32_t i = 0; i < op->type->count; i++) {
    const struct cell *a = operand_cells(act, op, 0) + i;
    u128 sign = (u128)1 << (op->type->leaves[i].bits - 1),
         undef = (a->undef & ~sign) | (sign_cells_or_null ? sign_cells_or_null[i].undef & sign : 0);
    u128 bits = (a->bits & ~sign) | (sign_cells_or_null ? sign_cells_or_null[i].bits & sign : 0);
    bool poison = a->poison || (sign_cells_or_null && sign_cells_or_null[i].poison);
    result_cells(act, op)[i] = poison ? cell_poison(op->type->leaves[i].bits) : (struct cell){bits, undef, false};
  }
}

HANDLER(run_real_abs, replace_sign_bits, NULL)
HANDLER(run_real_copysign, replace_sign_bits, operand_cells(act, op, 1))
