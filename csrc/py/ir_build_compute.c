/* Builders of arithmetic, comparisons, casts and selects.
   Requires: a build site (ir_building.h).
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: operands have one type that the opcode
   accepts, and constants are small enough for LLVM to fold. */
#include <string.h>

#include "ir_building.h"
#include "ir_keywords.h"
#include "ir_type.h"

void ir_set_fast_math_if_instruction(LLVMValueRef built, unsigned fast)
{
  if (fast && LLVMIsAInstruction(built) && LLVMCanValueUseFastMathFlags(built))
    LLVMSetFastMathFlags(built, fast);
}

static bool check_scalar_operand_type(struct build_site *site, LLVMTypeRef type, bool floating, const char *word)
{
  bool fits = floating ? site_has_float_type(type) : site_scalar_kind(type) == LLVMIntegerTypeKind;
  return fits || site_raise_usage_error(site, "%s takes %s, or vectors of them, not %s", word,
                                        floating ? "floats" : "integers", site_text_of_type(site, type));
}

LLVMValueRef ir_build_binary(struct build_site *site, PyObject *args)
{
  const char *word;
  LLVMValueRef a, b;
  unsigned flags, fast;
  if (!site_parse(site, args, "sV=II", &word, &a, "the left operand", &b, "the right operand", &flags, &fast))
    return NULL;
  int opcode = ir_keyword_number(&ir_opcodes, word);
  if (opcode < LLVMAdd || opcode > LLVMXor) /* LLVM-C numbers the binary operations in sequence */
    return site_raise_usage_error(site, "%s is not a binary operation", word);
  if (flags & ~ir_flags_of_opcode((LLVMOpcode)opcode))
    return site_raise_usage_error(site, "%s does not have this flag", word);
  if (!check_scalar_operand_type(site, LLVMTypeOf(a), *word == 'f', word) ||
      !site_check_constants_are_small_to_fold(site, (LLVMValueRef[]){a, b}, 2, LLVMTypeOf(a)))
    return NULL;
  LLVMValueRef built = LLVMBuildBinOp(site->builder, (LLVMOpcode)opcode, a, b, site->name);
  ir_set_flags_if_instruction(built, (LLVMOpcode)opcode, flags);
  ir_set_fast_math_if_instruction(built, fast);
  return built;
}

LLVMValueRef ir_build_fneg(struct build_site *site, PyObject *args)
{
  LLVMValueRef value;
  unsigned fast;
  if (!site_parse(site, args, "VI", &value, "the operand", &fast) ||
      !check_scalar_operand_type(site, LLVMTypeOf(value), true, "fneg") ||
      !site_check_constants_are_small_to_fold(site, &value, 1, LLVMTypeOf(value)))
    return NULL;
  LLVMValueRef built = LLVMBuildFNeg(site->builder, value, site->name);
  ir_set_fast_math_if_instruction(built, fast);
  return built;
}

LLVMValueRef ir_build_freeze(struct build_site *site, PyObject *args)
{
  LLVMValueRef value;
  if (!site_parse(site, args, "V", &value, "the operand"))
    return NULL;
  if (!site_is_data_type(LLVMTypeOf(value)))
    return site_raise_usage_error(site, "a value of type %s cannot be frozen",
                                  site_text_of_type(site, LLVMTypeOf(value)));
  return LLVMBuildFreeze(site->builder, value, site->name);
}

/* ---- Comparisons ---- */

LLVMValueRef ir_build_compare(struct build_site *site, PyObject *args)
{
  LLVMValueRef a, b;
  const char *opcode, *word;
  unsigned fast;
  if (!site_parse(site, args, "ssV=I", &opcode, &word, &a, "the left operand", &b, "the right operand", &fast))
    return NULL;
  bool floating = !strcmp(opcode, "fcmp");
  int predicate = ir_keyword_number(floating ? &ir_real_predicates : &ir_int_predicates, word);
  if (predicate < 0)
    return site_raise_usage_error(site, "%s does not have the predicate %.40s", floating ? "fcmp" : "icmp", word);
  if (!site_check_constants_are_small_to_fold(site, (LLVMValueRef[]){a, b}, 2, LLVMTypeOf(a)))
    return NULL;
  LLVMTypeKind kind = site_scalar_kind(LLVMTypeOf(a));
  bool fits =
      floating ? site_has_float_type(LLVMTypeOf(a)) : kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind;
  if (!fits)
    return site_raise_usage_error(site, "%s compares %s, or vectors of them, not %s", floating ? "fcmp" : "icmp",
                                  floating ? "floats" : "integers or pointers", site_text_of_type(site, LLVMTypeOf(a)));
  if (!floating)
    return LLVMBuildICmp(site->builder, (LLVMIntPredicate)predicate, a, b, site->name);
  LLVMValueRef built = LLVMBuildFCmp(site->builder, (LLVMRealPredicate)predicate, a, b, site->name);
  ir_set_fast_math_if_instruction(built, fast);
  return built;
}

LLVMValueRef ir_build_select(struct build_site *site, PyObject *args)
{
  LLVMValueRef c, a, b;
  if (!site_parse(site, args, "VV=", &c, "the condition", &a, "the value if true", &b, "the value if false"))
    return NULL;
  LLVMTypeRef type = LLVMTypeOf(c), bit = site_scalar(type), chosen = LLVMTypeOf(a);
  if (LLVMGetTypeKind(bit) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(bit) != 1)
    return site_raise_usage_error(site, "the condition of a select must be an i1 or a vector of i1, not %s",
                                  site_text_of_type(site, type));
  if (type != bit && !site_have_same_vector_length(type, chosen))
    return site_raise_usage_error(site, "a select with a vector condition needs vectors of as many elements, not %s",
                                  site_text_of_type(site, chosen));
  if (!site_is_data_type(chosen))
    return site_raise_usage_error(site, "a select cannot have operands of type %s", site_text_of_type(site, chosen));
  if (!site_check_constants_are_small_to_fold(site, (LLVMValueRef[]){c, a, b}, 3, chosen))
    return NULL;
  return LLVMBuildSelect(site->builder, c, a, b, site->name);
}

/* ---- Casts ---- */

static uint64_t bit_width_or_0_of_type(LLVMTypeRef type)
{
  LLVMTypeRef scalar = site_scalar(type);
  bool is_number = LLVMGetTypeKind(scalar) == LLVMIntegerTypeKind || site_has_float_type(scalar);
  uint64_t bits = is_number ? ir_bit_width_of_number(scalar) : 0;
  return scalar == type ? bits : bits * LLVMGetVectorSize(type);
}

static bool is_scalable_vector(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMScalableVectorTypeKind;
}

static bool is_valid_bitcast(LLVMTypeRef from, LLVMTypeRef to)
{
  if (from == to)
    return site_is_data_type(from);
  return bit_width_or_0_of_type(from) && bit_width_or_0_of_type(from) == bit_width_or_0_of_type(to) &&
         is_scalable_vector(from) == is_scalable_vector(to);
}

enum cast_rule { NARROWER, WIDER, ANY, SPACES, BITS };

struct cast {
  LLVMOpcode opcode;
  char from, to; /* I: integer, F: float, P: pointer */
  enum cast_rule rule;
};

static bool has_scalar_kind_of_letter(LLVMTypeRef type, char kind)
{
  switch (kind) {
  case 'I': return site_scalar_kind(type) == LLVMIntegerTypeKind;
  case 'P': return site_scalar_kind(type) == LLVMPointerTypeKind;
  default: return site_has_float_type(type);
  }
}

static bool is_valid_cast(const struct cast *cast, LLVMTypeRef from, LLVMTypeRef to)
{
  if (cast->rule == BITS)
    return is_valid_bitcast(from, to);
  if (!has_scalar_kind_of_letter(from, cast->from) || !has_scalar_kind_of_letter(to, cast->to) ||
      !site_have_same_vector_length(from, to))
    return false;
  switch (cast->rule) {
  case NARROWER: return bit_width_or_0_of_type(from) > bit_width_or_0_of_type(to);
  case WIDER: return bit_width_or_0_of_type(from) < bit_width_or_0_of_type(to);
  case SPACES: return LLVMGetPointerAddressSpace(site_scalar(from)) != LLVMGetPointerAddressSpace(site_scalar(to));
  default: return true;
  }
}

static const struct cast *find_cast_of_keyword(const char *word)
{
  static const struct cast table[] = {
      {LLVMTrunc, 'I', 'I', NARROWER},   {LLVMZExt, 'I', 'I', WIDER},   {LLVMSExt, 'I', 'I', WIDER},
      {LLVMFPTrunc, 'F', 'F', NARROWER}, {LLVMFPExt, 'F', 'F', WIDER},  {LLVMFPToUI, 'F', 'I', ANY},
      {LLVMFPToSI, 'F', 'I', ANY},       {LLVMUIToFP, 'I', 'F', ANY},   {LLVMSIToFP, 'I', 'F', ANY},
      {LLVMPtrToInt, 'P', 'I', ANY},     {LLVMIntToPtr, 'I', 'P', ANY}, {LLVMAddrSpaceCast, 'P', 'P', SPACES},
      {LLVMBitCast, 0, 0, BITS},
  };
  int opcode = ir_keyword_number(&ir_opcodes, word);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if ((int)table[i].opcode == opcode)
      return &table[i];
  return NULL;
}

LLVMValueRef ir_build_cast(struct build_site *site, PyObject *args)
{
  LLVMValueRef value;
  LLVMTypeRef type;
  const char *word;
  unsigned flags;
  if (!site_parse(site, args, "sVTI", &word, &value, "the operand of a cast", &type, "the type of a cast", &flags))
    return NULL;
  const struct cast *cast = find_cast_of_keyword(word);
  if (!cast || flags & ~ir_flags_of_opcode(cast->opcode))
    return site_raise_usage_error(site, "%.40s is not a cast with these flags", word);
  if (!is_valid_cast(cast, LLVMTypeOf(value), type))
    return site_raise_usage_error(site, "%s cannot convert %s to %s", word, site_text_of_type(site, LLVMTypeOf(value)),
                                  site_text_of_type(site, type));
  if (!site_check_constants_are_small_to_fold(site, &value, 1, type))
    return NULL;
  LLVMValueRef built = LLVMBuildCast(site->builder, cast->opcode, value, type, site->name);
  if (built != value)
    ir_set_flags_if_instruction(built, cast->opcode, flags);
  return built;
}
