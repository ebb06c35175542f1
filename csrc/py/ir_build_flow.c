/* Builders of terminators and phis.
   Requires: a place.
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: conditions are i1, switch cases are constant
   integers, blocks belong to the function. */
#include "ir_build.h"

LLVMValueRef ir_build_branch(struct place *place, PyObject *args)
{
  PyObject *given, *target;
  if (!PyArg_ParseTuple(args, "OO:branch", &given, &target))
    return NULL;
  LLVMBasicBlockRef block = place_block(place, target, "the target of a branch");
  return block ? LLVMBuildBr(place->builder, block) : NULL;
}

LLVMValueRef ir_build_branch_if(struct place *place, PyObject *args)
{
  PyObject *given, *condition, *yes, *no;
  if (!PyArg_ParseTuple(args, "OOOO:branch_if", &given, &condition, &yes, &no))
    return NULL;
  LLVMTypeRef bit = LLVMInt1TypeInContext(place->context);
  LLVMValueRef value = place_operand_of(place, condition, bit, "the condition of a branch");
  LLVMBasicBlockRef a = value ? place_block(place, yes, "the target of a branch") : NULL;
  LLVMBasicBlockRef b = a ? place_block(place, no, "the target of a branch") : NULL;
  return b ? LLVMBuildCondBr(place->builder, value, a, b) : NULL;
}

/* Checks one case of a switch. False with an exception set. */
static bool check_case(struct place *place, LLVMTypeRef type, PyObject *value, PyObject *block, LLVMValueRef *number,
                       LLVMBasicBlockRef *target)
{
  *number = place_operand_of(place, value, type, "a case of a switch");
  if (*number && !LLVMIsAConstantInt(*number))
    return place_refuse(place, "a case of a switch must be a constant integer");
  *target = *number ? place_block(place, block, "the target of a case") : NULL;
  return *target;
}

LLVMValueRef ir_build_switch(struct place *place, PyObject *args)
{
  PyObject *given, *object, *otherwise, *values, *blocks;
  struct place_text text;
  if (!PyArg_ParseTuple(args, "OOOO!O!:switch", &given, &object, &otherwise, &PyTuple_Type, &values, &PyTuple_Type,
                        &blocks))
    return NULL;
  Py_ssize_t count = PyTuple_Size(values);
  LLVMValueRef value = place_operand(place, object, "the operand of a switch"), number = NULL;
  LLVMBasicBlockRef target = value ? place_block(place, otherwise, "the default of a switch") : NULL;
  LLVMBasicBlockRef one = NULL;
  if (!target || count != PyTuple_Size(blocks))
    return place_refuse(place, "a switch needs as many blocks as case values");
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
    return place_refuse(place, "the operand of a switch must be an integer, not a value of type %s",
                        place_type_text(place, type, &text));
  for (Py_ssize_t i = 0; i < count; i++)
    if (!check_case(place, type, PyTuple_GetItem(values, i), PyTuple_GetItem(blocks, i), &number, &one))
      return NULL;
  LLVMValueRef built = LLVMBuildSwitch(place->builder, value, target, (unsigned)count);
  for (Py_ssize_t i = 0; i < count; i++)
    if (check_case(place, type, PyTuple_GetItem(values, i), PyTuple_GetItem(blocks, i), &number, &one))
      LLVMAddCase(built, number, one);
  return built;
}

LLVMValueRef ir_build_ret(struct place *place, PyObject *args)
{
  PyObject *given, *object;
  struct place_text text;
  if (!PyArg_ParseTuple(args, "OO:ret", &given, &object))
    return NULL;
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(place->function));
  bool nothing = LLVMGetTypeKind(type) == LLVMVoidTypeKind;
  if (nothing && object == Py_None)
    return LLVMBuildRetVoid(place->builder);
  if (nothing || object == Py_None)
    return place_refuse(place, "the function must return %s", place_type_text(place, type, &text));
  LLVMValueRef value = place_operand_of(place, object, type, "the returned value");
  return value ? LLVMBuildRet(place->builder, value) : NULL;
}

LLVMValueRef ir_build_unreachable(struct place *place, PyObject *args)
{
  (void)args;
  return LLVMBuildUnreachable(place->builder);
}

LLVMValueRef ir_build_resume(struct place *place, PyObject *args)
{
  PyObject *given, *object;
  if (!PyArg_ParseTuple(args, "OO:resume", &given, &object))
    return NULL;
  LLVMValueRef value = place_operand(place, object, "the operand of a resume");
  if (value && !place_is_value(LLVMTypeOf(value)))
    return place_refuse(place, "the operand of a resume must have the type of a landingpad");
  return value ? LLVMBuildResume(place->builder, value) : NULL;
}

LLVMValueRef ir_build_phi(struct place *place, PyObject *args)
{
  PyObject *given, *wanted;
  struct place_text text;
  if (!PyArg_ParseTuple(args, "OO:phi", &given, &wanted))
    return NULL;
  LLVMTypeRef type = place_type(place, wanted, "the type of a phi");
  if (!type)
    return NULL;
  if (!place_is_value(type) || LLVMGetTypeKind(type) == LLVMTokenTypeKind)
    return place_refuse(place, "a phi cannot have type %s", place_type_text(place, type, &text));
  return LLVMBuildPhi(place->builder, type, place->name);
}
