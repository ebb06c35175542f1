/* Builders of terminators and phis.
   Requires: a build site (ir_building.h).
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: conditions are i1, switch cases are constant
   integers, blocks belong to the function. */
#include "ir_build.h"

LLVMValueRef ir_build_branch(struct build_site *site, PyObject *args)
{
  LLVMBasicBlockRef block;
  return site_parse(site, args, "B", &block, "the target of a branch") ? LLVMBuildBr(site->builder, block) : NULL;
}

LLVMValueRef ir_build_branch_if(struct build_site *site, PyObject *args)
{
  PyObject *condition;
  LLVMBasicBlockRef yes, no;
  if (!site_parse(site, args, "OBB", &condition, &yes, "the target of a branch", &no, "the target of a branch"))
    return NULL;
  LLVMTypeRef bit = LLVMInt1TypeInContext(site->context);
  LLVMValueRef value = site_operand_of(site, condition, bit, "the condition of a branch");
  return value ? LLVMBuildCondBr(site->builder, value, yes, no) : NULL;
}

/* Checks one case of a switch. False with an exception set. */
static bool check_switch_case(struct build_site *site, LLVMTypeRef type, PyObject *value, PyObject *block,
                              LLVMValueRef *number, LLVMBasicBlockRef *target)
{
  *number = site_operand_of(site, value, type, "a case of a switch");
  if (*number && !LLVMIsAConstantInt(*number))
    return site_raise_usage_error(site, "a case of a switch must be a constant integer");
  *target = *number ? site_block(site, block, "the target of a case") : NULL;
  return *target;
}

LLVMValueRef ir_build_switch(struct build_site *site, PyObject *args)
{
  PyObject *values, *blocks;
  LLVMValueRef value, number = NULL;
  LLVMBasicBlockRef target, one = NULL;
  if (!site_parse(site, args, "VBOO", &value, "the operand of a switch", &target, "the default of a switch", &values,
                  &blocks))
    return NULL;
  Py_ssize_t count = PyTuple_Size(values); /* -1 with an exception set if it is no tuple */
  if (count < 0 || count != PyTuple_Size(blocks))
    return site_raise_usage_error(site, "a switch needs as many blocks as case values");
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
    return site_raise_usage_error(site, "the operand of a switch must be an integer, not a value of type %s",
                                  site_text_of_type(site, type));
  for (Py_ssize_t i = 0; i < count; i++)
    if (!check_switch_case(site, type, PyTuple_GetItem(values, i), PyTuple_GetItem(blocks, i), &number, &one))
      return NULL;
  LLVMValueRef built = LLVMBuildSwitch(site->builder, value, target, (unsigned)count);
  for (Py_ssize_t i = 0; i < count; i++)
    if (check_switch_case(site, type, PyTuple_GetItem(values, i), PyTuple_GetItem(blocks, i), &number, &one))
      LLVMAddCase(built, number, one);
  return built;
}

LLVMValueRef ir_build_ret(struct build_site *site, PyObject *args)
{
  PyObject *object;
  if (!site_parse(site, args, "O", &object))
    return NULL;
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(site->function));
  bool nothing = LLVMGetTypeKind(type) == LLVMVoidTypeKind;
  if (nothing && object == Py_None)
    return LLVMBuildRetVoid(site->builder);
  if (nothing || object == Py_None)
    return site_raise_usage_error(site, "the function must return %s", site_text_of_type(site, type));
  LLVMValueRef value = site_operand_of(site, object, type, "the returned value");
  return value ? LLVMBuildRet(site->builder, value) : NULL;
}

LLVMValueRef ir_build_unreachable(struct build_site *site, PyObject *args)
{
  (void)args;
  return LLVMBuildUnreachable(site->builder);
}

LLVMValueRef ir_build_resume(struct build_site *site, PyObject *args)
{
  LLVMValueRef value;
  if (!site_parse(site, args, "V", &value, "the operand of a resume"))
    return NULL;
  if (!site_is_value_type(LLVMTypeOf(value)))
    return site_raise_usage_error(site, "the operand of a resume must have the type of a landingpad");
  return LLVMBuildResume(site->builder, value);
}

LLVMValueRef ir_build_phi(struct build_site *site, PyObject *args)
{
  LLVMTypeRef type;
  if (!site_parse(site, args, "T", &type, "the type of a phi"))
    return NULL;
  if (!site_is_data_type(type))
    return site_raise_usage_error(site, "a phi cannot have type %s", site_text_of_type(site, type));
  return LLVMBuildPhi(site->builder, type, site->name);
}
