/* Builders of terminators and phis.
   Requires: a build site (ir_building.h).
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: conditions are i1, switch cases are constant
   integers, blocks belong to the function. */
#include "ir_build.h"

LLVMValueRef ir_build_branch(struct build_site *site, PyObject *args)
{
  PyObject *given, *target;
  if (!PyArg_ParseTuple(args, "OO:branch", &given, &target))
    return NULL;
  LLVMBasicBlockRef block = site_block(site, target, "the target of a branch");
  return block ? LLVMBuildBr(site->builder, block) : NULL;
}

LLVMValueRef ir_build_branch_if(struct build_site *site, PyObject *args)
{
  PyObject *given, *condition, *yes, *no;
  if (!PyArg_ParseTuple(args, "OOOO:branch_if", &given, &condition, &yes, &no))
    return NULL;
  LLVMTypeRef bit = LLVMInt1TypeInContext(site->context);
  LLVMValueRef value = site_operand_of(site, condition, bit, "the condition of a branch");
  LLVMBasicBlockRef a = value ? site_block(site, yes, "the target of a branch") : NULL;
  LLVMBasicBlockRef b = a ? site_block(site, no, "the target of a branch") : NULL;
  return b ? LLVMBuildCondBr(site->builder, value, a, b) : NULL;
}

/* Checks one case of a switch. False with an exception set. */
static bool check_case(struct build_site *site, LLVMTypeRef type, PyObject *value, PyObject *block,
                       LLVMValueRef *number, LLVMBasicBlockRef *target)
{
  *number = site_operand_of(site, value, type, "a case of a switch");
  if (*number && !LLVMIsAConstantInt(*number))
    return site_raise(site, "a case of a switch must be a constant integer");
  *target = *number ? site_block(site, block, "the target of a case") : NULL;
  return *target;
}

LLVMValueRef ir_build_switch(struct build_site *site, PyObject *args)
{
  PyObject *given, *object, *otherwise, *values, *blocks;
  struct site_text text;
  if (!PyArg_ParseTuple(args, "OOOO!O!:switch", &given, &object, &otherwise, &PyTuple_Type, &values, &PyTuple_Type,
                        &blocks))
    return NULL;
  Py_ssize_t count = PyTuple_Size(values);
  LLVMValueRef value = site_operand(site, object, "the operand of a switch"), number = NULL;
  LLVMBasicBlockRef target = value ? site_block(site, otherwise, "the default of a switch") : NULL;
  LLVMBasicBlockRef one = NULL;
  if (!target || count != PyTuple_Size(blocks))
    return site_raise(site, "a switch needs as many blocks as case values");
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
    return site_raise(site, "the operand of a switch must be an integer, not a value of type %s",
                      site_type_text(site, type, &text));
  for (Py_ssize_t i = 0; i < count; i++)
    if (!check_case(site, type, PyTuple_GetItem(values, i), PyTuple_GetItem(blocks, i), &number, &one))
      return NULL;
  LLVMValueRef built = LLVMBuildSwitch(site->builder, value, target, (unsigned)count);
  for (Py_ssize_t i = 0; i < count; i++)
    if (check_case(site, type, PyTuple_GetItem(values, i), PyTuple_GetItem(blocks, i), &number, &one))
      LLVMAddCase(built, number, one);
  return built;
}

LLVMValueRef ir_build_ret(struct build_site *site, PyObject *args)
{
  PyObject *given, *object;
  struct site_text text;
  if (!PyArg_ParseTuple(args, "OO:ret", &given, &object))
    return NULL;
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(site->function));
  bool nothing = LLVMGetTypeKind(type) == LLVMVoidTypeKind;
  if (nothing && object == Py_None)
    return LLVMBuildRetVoid(site->builder);
  if (nothing || object == Py_None)
    return site_raise(site, "the function must return %s", site_type_text(site, type, &text));
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
  PyObject *given, *object;
  if (!PyArg_ParseTuple(args, "OO:resume", &given, &object))
    return NULL;
  LLVMValueRef value = site_operand(site, object, "the operand of a resume");
  if (value && !site_is_value(LLVMTypeOf(value)))
    return site_raise(site, "the operand of a resume must have the type of a landingpad");
  return value ? LLVMBuildResume(site->builder, value) : NULL;
}

LLVMValueRef ir_build_phi(struct build_site *site, PyObject *args)
{
  PyObject *given, *wanted;
  struct site_text text;
  if (!PyArg_ParseTuple(args, "OO:phi", &given, &wanted))
    return NULL;
  LLVMTypeRef type = site_type(site, wanted, "the type of a phi");
  if (!type)
    return NULL;
  if (!site_is_value(type) || LLVMGetTypeKind(type) == LLVMTokenTypeKind)
    return site_raise(site, "a phi cannot have type %s", site_type_text(site, type, &text));
  return LLVMBuildPhi(site->builder, type, site->name);
}
