/* Executes floating-point instructions on float and double with the host's arithmetic.
   Requires: IEEE 754 float and double.
   Guarantees: undefined operands give undefined results. */
#include "interp/floating_point.h"

#include <math.h>
#include <string.h>

#include "interp/execution_error.h"
#include "interp/handlers.h"

double real_from_cell(const struct cell *cell, unsigned bits)
{
  if (bits == 32) {
    uint32_t word = (uint32_t)cell->bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
  }
  uint64_t word = (uint64_t)cell->bits;
  double value;
  memcpy(&value, &word, sizeof value);
  return value;
}

struct cell real_to_cell(double value, unsigned bits)
{
  if (bits == 32) {
    float narrow = (float)value;
    uint32_t word;
    memcpy(&word, &narrow, sizeof word);
    return cell_of(word);
  }
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  return cell_of(word);
}

static bool stop_if_float_width_is_unsupported(struct interp *in, const struct op *op, const struct layout *type)
{
  if (!type->count || type->leaves[0].kind != LEAF_FLOAT || type->leaves[0].bits == 32 || type->leaves[0].bits == 64)
    return false;
  interp_stop_with_error(in, op, CORO_EUNSUPPORTED, "unsupported-type",
                         "the interpreter supports floating point of 32 and 64 bits, not %d", type->leaves[0].bits);
  return true;
}

/* ---- Fast-math flags ---- */

static bool violates_fast_math_flags(uint32_t flags, const struct leaf *leaf, const struct cell *cell)
{
  if (leaf->kind != LEAF_FLOAT || (leaf->bits != 32 && leaf->bits != 64) || cell->undef)
    return false;
  double value = real_from_cell(cell, leaf->bits);
  return (flags & OP_NNAN && isnan(value)) || (flags & OP_NINF && isinf(value));
}

/* A scalar of an operand of the result's shape affects one scalar of the result; others affect all of them. */
static void poison_result_of_violations(const struct op *op, const struct layout *type, const struct cell *cells,
                                        struct cell *out)
{
  for (uint32_t i = 0; type && i < type->count; i++) {
    if (!violates_fast_math_flags(op->flags, &type->leaves[i], &cells[i]))
      continue;
    if (type->count == op->type->count)
      out[i] = cell_poison(op->type->leaves[i].bits);
    else
      cells_fill_with_poison(op->type, out);
  }
}

void real_poison_result_of_violated_flags(const struct activation *act, const struct op *op)
{
  bool takes_one_operand = op->opcode == LLVMSelect || op->opcode == LLVMPHI;
  for (uint32_t k = 0; k < op->count && !takes_one_operand; k++)
    poison_result_of_violations(op, op->operands[k].type, operand_cells(act, op, k), result_cells(act, op));
  poison_result_of_violations(op, op->type, result_cells(act, op), result_cells(act, op));
}

void run_with_fast_math_flags(struct interp *in, struct activation *act, const struct op *op)
{
  in->opcodes[op->opcode].run(in, act, op);
  real_poison_result_of_violated_flags(act, op);
}

/* ---- Arithmetic ---- */

void real_compute_elementwise(struct interp *in, const struct activation *act, const struct op *op, uint32_t count,
                              double (*work)(const double *))
{
  struct cell *out = result_cells(act, op);
  if (stop_if_float_width_is_unsupported(in, op, op->type))
    return;
  for (uint32_t i = 0; i < op->type->count; i++) {
    unsigned bits = op->type->leaves[i].bits;
    double values[3] = {0, 0, 0};
    bool undef = false, poison = false;
    for (uint32_t k = 0; k < count; k++) {
      const struct cell *cell = operand_cells(act, op, k) + i;
      undef |= cell->undef != 0;
      poison |= cell->poison;
      values[k] = real_from_cell(cell, bits);
    }
    out[i] = poison ? cell_poison(bits) : undef ? cell_undef(bits) : real_to_cell(work(values), bits);
  }
}

/* For float operands, these operations in double, rounded to float, give the correctly rounded float result. */
REAL(run_fadd, 2, v[0] + v[1])
REAL(run_fsub, 2, v[0] - v[1])
REAL(run_fmul, 2, v[0] * v[1])
REAL(run_frem, 2, fmod(v[0], v[1]))

/* IEEE division by zero is defined; the sanitizer must not report it. */
__attribute__((no_sanitize("float-divide-by-zero"))) static double compute_fdiv(const double *v)
{
  return v[0] / v[1];
}

HANDLER(run_fdiv, real_compute_elementwise, 2, compute_fdiv)

/* Only the sign bit changes, also for NaN. */
static struct cell fneg_scalar(const struct op *op, const struct cell *a, unsigned from_bits, unsigned to_bits)
{
  (void)op, (void)from_bits;
  struct cell out = *a;
  out.bits ^= ((u128)1 << (to_bits - 1)) & ~a->undef;
  return out;
}

HANDLER(run_fneg, compute_each_scalar, fneg_scalar)

static bool fcmp_predicate_holds(LLVMRealPredicate predicate, double a, double b)
{
  /* bits of LLVM's predicates: 1 equal, 2 greater, 4 less, 8 unordered */
  unsigned relation = isnan(a) || isnan(b) ? 8 : a == b ? 1 : a > b ? 2 : 4;
  return ((unsigned)predicate & relation) != 0;
}

void run_fcmp(struct interp *in, struct activation *act, const struct op *op)
{
  const struct cell *a = operand_cells(act, op, 0), *b = operand_cells(act, op, 1);
  struct cell *out = result_cells(act, op);
  const struct layout *type = op->operands[0].type;
  if (stop_if_float_width_is_unsupported(in, op, type))
    return;
  for (uint32_t i = 0; i < op->type->count; i++) {
    unsigned bits = type->leaves[i].bits;
    double x = real_from_cell(&a[i], bits), y = real_from_cell(&b[i], bits);
    out[i] = cell_unless_undefined(a[i].poison || b[i].poison, a[i].undef || b[i].undef, 1,
                                   fcmp_predicate_holds((LLVMRealPredicate)op->detail, x, y));
  }
}

/* ---- Conversions ---- */

typedef struct cell convert(const struct cell *cell, unsigned from_bits, unsigned to_bits);

static void compute_elementwise_conversion(struct interp *in, const struct activation *act, const struct op *op,
                                           convert *work)
{
  const struct cell *a = operand_cells(act, op, 0);
  struct cell *out = result_cells(act, op);
  if (stop_if_float_width_is_unsupported(in, op, op->type) ||
      stop_if_float_width_is_unsupported(in, op, op->operands[0].type))
    return;
  for (uint32_t i = 0; i < op->type->count; i++) {
    unsigned from_bits = op->operands[0].type->leaves[i].bits, to_bits = op->type->leaves[i].bits;
    bool negative = op->flags & OP_NNEG && a[i].bits >> (from_bits - 1) & 1;
    if (a[i].poison || (negative && !a[i].undef))
      out[i] = cell_poison(to_bits);
    else
      out[i] = a[i].undef ? cell_undef(to_bits) : work(&a[i], from_bits, to_bits);
  }
}

static struct cell convert_to_unsigned(const struct cell *cell, unsigned from_bits, unsigned to_bits)
{
  double value = trunc(real_from_cell(cell, from_bits));
  if (!(value > -1.0 && value < ldexp(1.0, (int)to_bits)))
    return cell_poison(to_bits);
  return cell_of((u128)value & integer_mask(to_bits));
}

static struct cell convert_to_signed(const struct cell *cell, unsigned from_bits, unsigned to_bits)
{
  double value = trunc(real_from_cell(cell, from_bits)), limit = ldexp(1.0, (int)to_bits - 1);
  if (!(value >= -limit && value < limit))
    return cell_poison(to_bits);
  return cell_of((u128)(i128)value & integer_mask(to_bits));
}

/* Converts directly to the target type to avoid double rounding. */
static struct cell convert_from_unsigned(const struct cell *cell, unsigned from_bits, unsigned to_bits)
{
  (void)from_bits;
  return to_bits == 32 ? real_to_cell((double)(float)cell->bits, to_bits) : real_to_cell((double)cell->bits, to_bits);
}

static struct cell convert_from_signed(const struct cell *cell, unsigned from_bits, unsigned to_bits)
{
  i128 value = integer_signed(cell->bits, from_bits);
  return to_bits == 32 ? real_to_cell((double)(float)value, to_bits) : real_to_cell((double)value, to_bits);
}

static struct cell convert_floating_point_width(const struct cell *cell, unsigned from_bits, unsigned to_bits)
{
  return real_to_cell(real_from_cell(cell, from_bits), to_bits);
}

HANDLER(run_fptoui, compute_elementwise_conversion, convert_to_unsigned)
HANDLER(run_fptosi, compute_elementwise_conversion, convert_to_signed)
HANDLER(run_uitofp, compute_elementwise_conversion, convert_from_unsigned)
HANDLER(run_sitofp, compute_elementwise_conversion, convert_from_signed)
HANDLER(run_fpconvert, compute_elementwise_conversion, convert_floating_point_width)
