/* Builders of terminators, phis and funclet pads.
   Requires: a build site (ir_building.h).
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: conditions are i1, switch cases are constant
   integers, blocks belong to the function, parents of pads are pads, a catchpad belongs to a catchswitch. */
#include "ir_building.h"

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

/* ---- Funclet pads ---- */

/* The parent pad, or the `none` token (NULL) at the top level. */
static bool find_parent_pad(struct build_site *site, PyObject *object, LLVMValueRef *parent)
{
  *parent = NULL;
  if (object == Py_None)
    return true;
  *parent = site_operand(site, object, "the parent pad");
  if (!*parent)
    return false;
  if (LLVMIsACatchPadInst(*parent) || LLVMIsACleanupPadInst(*parent))
    return true;
  return site_raise_usage_error(site, "the parent of a pad must be a catchpad, a cleanuppad or none");
}

static bool check_pad_arguments(struct build_site *site, const struct site_values *values)
{
  for (size_t i = 0; i < values->count; i++)
    if (!site_is_data_type(LLVMTypeOf(values->items[i])))
      return site_raise_usage_error(site, "a pad cannot have an argument of type %s",
                                    site_text_of_type(site, LLVMTypeOf(values->items[i])));
  return true;
}

LLVMValueRef ir_build_cleanuppad(struct build_site *site, PyObject *args)
{
  PyObject *around;
  LLVMValueRef parent;
  struct site_values *values;
  if (!site_parse(site, args, "OL", &around, &values, "the arguments") || !find_parent_pad(site, around, &parent) ||
      !check_pad_arguments(site, values))
    return NULL;
  return LLVMBuildCleanupPad(site->builder, parent, values->items, (unsigned)values->count, site->name);
}

LLVMValueRef ir_build_catchpad(struct build_site *site, PyObject *args)
{
  LLVMValueRef chooser;
  struct site_values *values;
  if (!site_parse(site, args, "VL", &chooser, "the catchswitch", &values, "the arguments"))
    return NULL;
  if (!LLVMIsACatchSwitchInst(chooser))
    return site_raise_usage_error(site, "the parent of a catchpad must be a catchswitch");
  return check_pad_arguments(site, values)
             ? LLVMBuildCatchPad(site->builder, chooser, values->items, (unsigned)values->count, site->name)
             : NULL;
}

/* The unwind destination; None: to the caller. */
static bool find_unwind_destination(struct build_site *site, PyObject *object, LLVMBasicBlockRef *unwind)
{
  *unwind = object == Py_None ? NULL : site_block(site, object, "the unwind destination");
  return *unwind || object == Py_None;
}

LLVMValueRef ir_build_catchswitch(struct build_site *site, PyObject *args)
{
  PyObject *around, *list, *otherwise;
  LLVMValueRef parent;
  LLVMBasicBlockRef unwind;
  if (!site_parse(site, args, "OOO", &around, &list, &otherwise) || !find_parent_pad(site, around, &parent) ||
      !find_unwind_destination(site, otherwise, &unwind))
    return NULL;
  Py_ssize_t count = PyTuple_Size(list); /* -1 with an exception set if it is no tuple */
  if (count < 1)
    return site_raise_usage_error(site, "a catchswitch needs at least one handler");
  for (Py_ssize_t i = 0; i < count; i++)
    if (!site_block(site, PyTuple_GetItem(list, i), "a handler"))
      return NULL;
  LLVMValueRef built = LLVMBuildCatchSwitch(site->builder, parent, unwind, (unsigned)count, site->name);
  for (Py_ssize_t i = 0; i < count; i++)
    LLVMAddHandler(built, site_block(site, PyTuple_GetItem(list, i), "a handler"));
  return built;
}

LLVMValueRef ir_build_cleanupret(struct build_site *site, PyObject *args)
{
  PyObject *otherwise;
  LLVMValueRef pad;
  LLVMBasicBlockRef unwind;
  if (!site_parse(site, args, "VO", &pad, "the cleanuppad", &otherwise))
    return NULL;
  if (!LLVMIsACleanupPadInst(pad))
    return site_raise_usage_error(site, "the operand of a cleanupret must be a cleanuppad");
  return find_unwind_destination(site, otherwise, &unwind) ? LLVMBuildCleanupRet(site->builder, pad, unwind) : NULL;
}

LLVMValueRef ir_build_catchret(struct build_site *site, PyObject *args)
{
  LLVMValueRef pad;
  LLVMBasicBlockRef block;
  if (!site_parse(site, args, "VB", &pad, "the catchpad", &block, "the target of a catchret"))
    return NULL;
  if (!LLVMIsACatchPadInst(pad))
    return site_raise_usage_error(site, "the operand of a catchret must be a catchpad");
  return LLVMBuildCatchRet(site->builder, pad, block);
}
