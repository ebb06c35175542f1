/* Builders of arithmetic, comparisons, casts and selects.
   Requires: a build site (ir_building.h).
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: operands have one type that the opcode
   accepts,
   and constants are small enough for LLVM to fold. */
#include <string.h>

#include "ir_build.h"

enum { FLAG_NUW = 1, FLAG_NSW = 2, FLAG_EXACT = 4, FLAG_DISJOINT = 8, FLAG_NNEG = 16 };

struct binary {
  const char *word;
  LLVMOpcode opcode;
  bool floating;
  unsigned flags; /* flags that the opcode may have */
};

static const struct binary *binary_of(const char *word)
{
  static const struct binary table[] = {
      {"add", LLVMAdd, false, FLAG_NUW | FLAG_NSW},
      {"sub", LLVMSub, false, FLAG_NUW | FLAG_NSW},
      {"mul", LLVMMul, false, FLAG_NUW | FLAG_NSW},
      {"shl", LLVMShl, false, FLAG_NUW | FLAG_NSW},
      {"udiv", LLVMUDiv, false, FLAG_EXACT},
      {"sdiv", LLVMSDiv, false, FLAG_EXACT},
      {"lshr", LLVMLShr, false, FLAG_EXACT},
      {"ashr", LLVMAShr, false, FLAG_EXACT},
      {"urem", LLVMURem, false, 0},
      {"srem", LLVMSRem, false, 0},
      {"and", LLVMAnd, false, 0},
      {"or", LLVMOr, false, FLAG_DISJOINT},
      {"xor", LLVMXor, false, 0},
      {"fadd", LLVMFAdd, true, 0},
      {"fsub", LLVMFSub, true, 0},
      {"fmul", LLVMFMul, true, 0},
      {"fdiv", LLVMFDiv, true, 0},
      {"frem", LLVMFRem, true, 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].word, word))
      return &table[i];
  return NULL;
}

/* Sets flags if LLVM has built an instruction instead of folding it. */
static void set_flags(LLVMValueRef built, unsigned flags)
{
  if (!LLVMIsAInstruction(built))
    return;
  if (flags & FLAG_NUW)
    LLVMSetNUW(built, true);
  if (flags & FLAG_NSW)
    LLVMSetNSW(built, true);
  if (flags & FLAG_EXACT)
    LLVMSetExact(built, true);
  if (flags & FLAG_DISJOINT)
    LLVMSetIsDisjoint(built, true);
  if (flags & FLAG_NNEG)
    LLVMSetNNeg(built, true);
}

void ir_set_fast(LLVMValueRef built, unsigned fast)
{
  if (fast && LLVMIsAInstruction(built) && LLVMCanValueUseFastMathFlags(built))
    LLVMSetFastMathFlags(built, fast);
}

static bool check_scalar(struct build_site *site, LLVMTypeRef type, bool floating, const char *word)
{
  struct site_text text;
  bool fits = floating ? site_is_float(type) : site_scalar_kind(type) == LLVMIntegerTypeKind;
  return fits || site_raise(site, "%s takes %s, or vectors of them, not %s", word, floating ? "floats" : "integers",
                            site_type_text(site, type, &text));
}

LLVMValueRef ir_build_binary(struct build_site *site, PyObject *args)
{
  PyObject *given, *left, *right;
  const char *word;
  unsigned flags, fast;
  if (!PyArg_ParseTuple(args, "OsOOII:binary", &given, &word, &left, &right, &flags, &fast))
    return NULL;
  const struct binary *binary = binary_of(word);
  if (!binary)
    return site_raise(site, "%s is not a binary operation", word);
  if (flags & ~binary->flags)
    return site_raise(site, "%s does not have this flag", word);
  LLVMValueRef a = site_operand(site, left, "the left operand");
  LLVMValueRef b = a ? site_operand_of(site, right, LLVMTypeOf(a), "the right operand") : NULL;
  if (!b || !check_scalar(site, LLVMTypeOf(a), binary->floating, word) ||
      !site_folds(site, (LLVMValueRef[]){a, b}, 2, LLVMTypeOf(a)))
    return NULL;
  LLVMValueRef built = LLVMBuildBinOp(site->builder, binary->opcode, a, b, site->name);
  set_flags(built, flags);
  ir_set_fast(built, fast);
  return built;
}

LLVMValueRef ir_build_fneg(struct build_site *site, PyObject *args)
{
  PyObject *given, *object;
  unsigned fast;
  if (!PyArg_ParseTuple(args, "OOI:fneg", &given, &object, &fast))
    return NULL;
  LLVMValueRef value = site_operand(site, object, "the operand");
  if (!value || !check_scalar(site, LLVMTypeOf(value), true, "fneg") || !site_folds(site, &value, 1, LLVMTypeOf(value)))
    return NULL;
  LLVMValueRef built = LLVMBuildFNeg(site->builder, value, site->name);
  ir_set_fast(built, fast);
  return built;
}

LLVMValueRef ir_build_freeze(struct build_site *site, PyObject *args)
{
  PyObject *given, *object;
  struct site_text text;
  if (!PyArg_ParseTuple(args, "OO:freeze", &given, &object))
    return NULL;
  LLVMValueRef value = site_operand(site, object, "the operand");
  if (!value)
    return NULL;
  if (!site_is_value(LLVMTypeOf(value)) || LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMTokenTypeKind)
    return site_raise(site, "a value of type %s cannot be frozen", site_type_text(site, LLVMTypeOf(value), &text));
  return LLVMBuildFreeze(site->builder, value, site->name);
}

/* ---- Comparisons ---- */

static int predicate_of(const char *word, bool floating)
{
  static const struct {
    const char *word;
    int integers;
  } integers[] = {
      {"eq", LLVMIntEQ},   {"ne", LLVMIntNE},   {"ugt", LLVMIntUGT}, {"uge", LLVMIntUGE}, {"ult", LLVMIntULT},
      {"ule", LLVMIntULE}, {"sgt", LLVMIntSGT}, {"sge", LLVMIntSGE}, {"slt", LLVMIntSLT}, {"sle", LLVMIntSLE},
  };
  static const char *const floats[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                       "uno",   "ueq", "ugt", "uge", "ult", "ule", "une", "true"};
  for (size_t i = 0; !floating && i < sizeof integers / sizeof *integers; i++)
    if (!strcmp(integers[i].word, word))
      return integers[i].integers;
  for (size_t i = 0; floating && i < sizeof floats / sizeof *floats; i++)
    if (!strcmp(floats[i], word))
      return (int)i;
  return -1;
}

LLVMValueRef ir_build_compare(struct build_site *site, PyObject *args)
{
  PyObject *given, *left, *right;
  const char *opcode, *word;
  unsigned fast;
  struct site_text text;
  if (!PyArg_ParseTuple(args, "OssOOI:compare", &given, &opcode, &word, &left, &right, &fast))
    return NULL;
  bool floating = !strcmp(opcode, "fcmp");
  int predicate = predicate_of(word, floating);
  if (predicate < 0)
    return site_raise(site, "%s does not have the predicate %.40s", floating ? "fcmp" : "icmp", word);
  LLVMValueRef a = site_operand(site, left, "the left operand");
  LLVMValueRef b = a ? site_operand_of(site, right, LLVMTypeOf(a), "the right operand") : NULL;
  if (!b || !site_folds(site, (LLVMValueRef[]){a, b}, 2, LLVMTypeOf(a)))
    return NULL;
  LLVMTypeKind kind = site_scalar_kind(LLVMTypeOf(a));
  bool fits = floating ? site_is_float(LLVMTypeOf(a)) : kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind;
  if (!fits)
    return site_raise(site, "%s compares %s, or vectors of them, not %s", floating ? "fcmp" : "icmp",
                      floating ? "floats" : "integers or pointers", site_type_text(site, LLVMTypeOf(a), &text));
  if (!floating)
    return LLVMBuildICmp(site->builder, (LLVMIntPredicate)predicate, a, b, site->name);
  LLVMValueRef built = LLVMBuildFCmp(site->builder, (LLVMRealPredicate)predicate, a, b, site->name);
  ir_set_fast(built, fast);
  return built;
}

LLVMValueRef ir_build_select(struct build_site *site, PyObject *args)
{
  PyObject *given, *condition, *yes, *no;
  struct site_text text;
  if (!PyArg_ParseTuple(args, "OOOO:select", &given, &condition, &yes, &no))
    return NULL;
  LLVMValueRef c = site_operand(site, condition, "the condition");
  LLVMValueRef a = c ? site_operand(site, yes, "the value if true") : NULL;
  LLVMValueRef b = a ? site_operand_of(site, no, LLVMTypeOf(a), "the value if false") : NULL;
  if (!b)
    return NULL;
  LLVMTypeRef type = LLVMTypeOf(c), bit = site_scalar(type), chosen = LLVMTypeOf(a);
  if (LLVMGetTypeKind(bit) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(bit) != 1)
    return site_raise(site, "the condition of a select must be an i1 or a vector of i1, not %s",
                      site_type_text(site, type, &text));
  if (type != bit && !site_same_shape(type, chosen))
    return site_raise(site, "a select with a vector condition needs vectors of as many elements, not %s",
                      site_type_text(site, chosen, &text));
  if (!site_is_value(chosen) || LLVMGetTypeKind(chosen) == LLVMTokenTypeKind)
    return site_raise(site, "a select cannot have operands of type %s", site_type_text(site, chosen, &text));
  if (!site_folds(site, (LLVMValueRef[]){c, a, b}, 3, chosen))
    return NULL;
  return LLVMBuildSelect(site->builder, c, a, b, site->name);
}

/* ---- Casts ---- */

static unsigned float_bits(LLVMTypeRef scalar)
{
  switch (LLVMGetTypeKind(scalar)) {
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind: return 16;
  case LLVMFloatTypeKind: return 32;
  case LLVMDoubleTypeKind: return 64;
  case LLVMX86_FP80TypeKind: return 80;
  default: return 128;
  }
}

static uint64_t bits_of(LLVMTypeRef type)
{
  LLVMTypeRef scalar = site_scalar(type);
  uint64_t bits = LLVMGetTypeKind(scalar) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(scalar)
                  : site_is_float(scalar)                        ? float_bits(scalar)
                                                                 : 0;
  return scalar == type ? bits : bits * LLVMGetVectorSize(type);
}

static bool is_scalable(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMScalableVectorTypeKind;
}

static bool bit_cast_fits(LLVMTypeRef from, LLVMTypeRef to)
{
  if (from == to)
    return site_is_value(from) && LLVMGetTypeKind(from) != LLVMTokenTypeKind;
  return bits_of(from) && bits_of(from) == bits_of(to) && is_scalable(from) == is_scalable(to);
}

enum cast_rule { NARROWER, WIDER, ANY, SPACES, BITS };

struct cast {
  const char *word;
  LLVMOpcode opcode;
  char from, to; /* I: integer, F: float, P: pointer */
  enum cast_rule rule;
  unsigned flags;
};

static bool is_type_of_kind(LLVMTypeRef type, char kind)
{
  switch (kind) {
  case 'I': return site_scalar_kind(type) == LLVMIntegerTypeKind;
  case 'P': return site_scalar_kind(type) == LLVMPointerTypeKind;
  default: return site_is_float(type);
  }
}

static bool cast_fits(const struct cast *cast, LLVMTypeRef from, LLVMTypeRef to)
{
  if (cast->rule == BITS)
    return bit_cast_fits(from, to);
  if (!is_type_of_kind(from, cast->from) || !is_type_of_kind(to, cast->to) || !site_same_shape(from, to))
    return false;
  switch (cast->rule) {
  case NARROWER: return bits_of(from) > bits_of(to);
  case WIDER: return bits_of(from) < bits_of(to);
  case SPACES: return LLVMGetPointerAddressSpace(site_scalar(from)) != LLVMGetPointerAddressSpace(site_scalar(to));
  default: return true;
  }
}

static const struct cast *cast_of(const char *word)
{
  static const struct cast table[] = {
      {"trunc", LLVMTrunc, 'I', 'I', NARROWER, FLAG_NUW | FLAG_NSW},
      {"zext", LLVMZExt, 'I', 'I', WIDER, FLAG_NNEG},
      {"sext", LLVMSExt, 'I', 'I', WIDER, 0},
      {"fptrunc", LLVMFPTrunc, 'F', 'F', NARROWER, 0},
      {"fpext", LLVMFPExt, 'F', 'F', WIDER, 0},
      {"fptoui", LLVMFPToUI, 'F', 'I', ANY, 0},
      {"fptosi", LLVMFPToSI, 'F', 'I', ANY, 0},
      {"uitofp", LLVMUIToFP, 'I', 'F', ANY, FLAG_NNEG},
      {"sitofp", LLVMSIToFP, 'I', 'F', ANY, 0},
      {"ptrtoint", LLVMPtrToInt, 'P', 'I', ANY, 0},
      {"inttoptr", LLVMIntToPtr, 'I', 'P', ANY, 0},
      {"addrspacecast", LLVMAddrSpaceCast, 'P', 'P', SPACES, 0},
      {"bitcast", LLVMBitCast, 0, 0, BITS, 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].word, word))
      return &table[i];
  return NULL;
}

LLVMValueRef ir_build_cast(struct build_site *site, PyObject *args)
{
  PyObject *given, *object, *wanted;
  const char *word;
  unsigned flags;
  struct site_text a, b;
  if (!PyArg_ParseTuple(args, "OsOOI:cast", &given, &word, &object, &wanted, &flags))
    return NULL;
  const struct cast *cast = cast_of(word);
  if (!cast || flags & ~cast->flags)
    return site_raise(site, "%.40s is not a cast with these flags", word);
  LLVMValueRef value = site_operand(site, object, "the operand of a cast");
  LLVMTypeRef type = value ? site_type(site, wanted, "the type of a cast") : NULL;
  if (!type)
    return NULL;
  if (!cast_fits(cast, LLVMTypeOf(value), type))
    return site_raise(site, "%s cannot convert %s to %s", word, site_type_text(site, LLVMTypeOf(value), &a),
                      site_type_text(site, type, &b));
  if (!site_folds(site, &value, 1, type))
    return NULL;
  LLVMValueRef built = LLVMBuildCast(site->builder, cast->opcode, value, type, site->name);
  if (built != value)
    set_flags(built, flags);
  return built;
}
