/* Builders of funclet pads and of the instructions that leave them.
   Requires: a build site (ir_building.h).
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: parents are pads, a catchpad belongs to a
   catchswitch, and a return from a pad names it. */
#include "ir_build.h"

/* The parent pad, or the `none` token (NULL) at the top level. */
static bool find_parent(struct build_site *site, PyObject *object, LLVMValueRef *parent)
{
  *parent = NULL;
  if (object == Py_None)
    return true;
  *parent = site_operand(site, object, "the parent pad");
  if (!*parent)
    return false;
  if (LLVMIsACatchPadInst(*parent) || LLVMIsACleanupPadInst(*parent))
    return true;
  return site_raise(site, "the parent of a pad must be a catchpad, a cleanuppad or none");
}

static bool check_pad_arguments(struct build_site *site, const LLVMValueRef *values, size_t count)
{
  struct site_text text;
  for (size_t i = 0; i < count; i++)
    if (!site_is_value(LLVMTypeOf(values[i])) || LLVMGetTypeKind(LLVMTypeOf(values[i])) == LLVMTokenTypeKind)
      return site_raise(site, "a pad cannot have an argument of type %s",
                        site_type_text(site, LLVMTypeOf(values[i]), &text));
  return true;
}

LLVMValueRef ir_build_cleanuppad(struct build_site *site, PyObject *args)
{
  PyObject *given, *around, *list;
  size_t count;
  LLVMValueRef parent, built = NULL;
  if (!PyArg_ParseTuple(args, "OOO:cleanuppad", &given, &around, &list) || !find_parent(site, around, &parent))
    return NULL;
  LLVMValueRef *values = site_operands(site, list, &count, "the arguments");
  if (values && check_pad_arguments(site, values, count))
    built = LLVMBuildCleanupPad(site->builder, parent, values, (unsigned)count, site->name);
  PyMem_Free(values);
  return built;
}

LLVMValueRef ir_build_catchpad(struct build_site *site, PyObject *args)
{
  PyObject *given, *object, *list;
  size_t count;
  LLVMValueRef built = NULL;
  if (!PyArg_ParseTuple(args, "OOO:catchpad", &given, &object, &list))
    return NULL;
  LLVMValueRef chooser = site_operand(site, object, "the catchswitch");
  if (chooser && !LLVMIsACatchSwitchInst(chooser))
    return site_raise(site, "the parent of a catchpad must be a catchswitch");
  LLVMValueRef *values = chooser ? site_operands(site, list, &count, "the arguments") : NULL;
  if (values && check_pad_arguments(site, values, count))
    built = LLVMBuildCatchPad(site->builder, chooser, values, (unsigned)count, site->name);
  PyMem_Free(values);
  return built;
}

/* The unwind destination; None: to the caller. */
static bool find_unwind(struct build_site *site, PyObject *object, LLVMBasicBlockRef *unwind)
{
  *unwind = object == Py_None ? NULL : site_block(site, object, "the unwind destination");
  return *unwind || object == Py_None;
}

LLVMValueRef ir_build_catchswitch(struct build_site *site, PyObject *args)
{
  PyObject *given, *around, *list, *otherwise;
  LLVMValueRef parent;
  LLVMBasicBlockRef unwind;
  if (!PyArg_ParseTuple(args, "OOO!O:catchswitch", &given, &around, &PyTuple_Type, &list, &otherwise) ||
      !find_parent(site, around, &parent) || !find_unwind(site, otherwise, &unwind))
    return NULL;
  Py_ssize_t count = PyTuple_Size(list);
  if (!count)
    return site_raise(site, "a catchswitch needs at least one handler");
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
  PyObject *given, *object, *otherwise;
  LLVMBasicBlockRef unwind;
  if (!PyArg_ParseTuple(args, "OOO:cleanupret", &given, &object, &otherwise))
    return NULL;
  LLVMValueRef pad = site_operand(site, object, "the cleanuppad");
  if (pad && !LLVMIsACleanupPadInst(pad))
    return site_raise(site, "the operand of a cleanupret must be a cleanuppad");
  return pad && find_unwind(site, otherwise, &unwind) ? LLVMBuildCleanupRet(site->builder, pad, unwind) : NULL;
}

LLVMValueRef ir_build_catchret(struct build_site *site, PyObject *args)
{
  PyObject *given, *object, *target;
  if (!PyArg_ParseTuple(args, "OOO:catchret", &given, &object, &target))
    return NULL;
  LLVMValueRef pad = site_operand(site, object, "the catchpad");
  if (pad && !LLVMIsACatchPadInst(pad))
    return site_raise(site, "the operand of a catchret must be a catchpad");
  LLVMBasicBlockRef block = pad ? site_block(site, target, "the target of a catchret") : NULL;
  return block ? LLVMBuildCatchRet(site->builder, pad, block) : NULL;
}
