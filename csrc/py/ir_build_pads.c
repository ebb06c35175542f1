/* Builders of funclet pads and of the instructions that leave them.
   Requires: a place.
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: parents are pads, a catchpad belongs to a
   catchswitch, and a return from a pad names it. */
#include "ir_build.h"

/* The parent pad, or the `none` token (NULL) at the top level. */
static bool find_parent(struct place *place, PyObject *object, LLVMValueRef *parent)
{
  *parent = NULL;
  if (object == Py_None)
    return true;
  *parent = place_operand(place, object, "the parent pad");
  if (!*parent)
    return false;
  if (LLVMIsACatchPadInst(*parent) || LLVMIsACleanupPadInst(*parent))
    return true;
  return place_refuse(place, "the parent of a pad must be a catchpad, a cleanuppad or none");
}

static bool are_values(struct place *place, const LLVMValueRef *values, size_t count)
{
  struct place_text text;
  for (size_t i = 0; i < count; i++)
    if (!place_is_value(LLVMTypeOf(values[i])) || LLVMGetTypeKind(LLVMTypeOf(values[i])) == LLVMTokenTypeKind)
      return place_refuse(place, "a pad cannot have an argument of type %s",
                          place_type_text(place, LLVMTypeOf(values[i]), &text));
  return true;
}

LLVMValueRef ir_build_cleanuppad(struct place *place, PyObject *args)
{
  PyObject *given, *around, *list;
  size_t count;
  LLVMValueRef parent, built = NULL;
  if (!PyArg_ParseTuple(args, "OOO:cleanuppad", &given, &around, &list) || !find_parent(place, around, &parent))
    return NULL;
  LLVMValueRef *values = place_operands(place, list, &count, "the arguments");
  if (values && are_values(place, values, count))
    built = LLVMBuildCleanupPad(place->builder, parent, values, (unsigned)count, place->name);
  PyMem_Free(values);
  return built;
}

LLVMValueRef ir_build_catchpad(struct place *place, PyObject *args)
{
  PyObject *given, *object, *list;
  size_t count;
  LLVMValueRef built = NULL;
  if (!PyArg_ParseTuple(args, "OOO:catchpad", &given, &object, &list))
    return NULL;
  LLVMValueRef chooser = place_operand(place, object, "the catchswitch");
  if (chooser && !LLVMIsACatchSwitchInst(chooser))
    return place_refuse(place, "the parent of a catchpad must be a catchswitch");
  LLVMValueRef *values = chooser ? place_operands(place, list, &count, "the arguments") : NULL;
  if (values && are_values(place, values, count))
    built = LLVMBuildCatchPad(place->builder, chooser, values, (unsigned)count, place->name);
  PyMem_Free(values);
  return built;
}

/* The unwind destination; None: to the caller. */
static bool find_unwind(struct place *place, PyObject *object, LLVMBasicBlockRef *unwind)
{
  *unwind = object == Py_None ? NULL : place_block(place, object, "the unwind destination");
  return *unwind || object == Py_None;
}

LLVMValueRef ir_build_catchswitch(struct place *place, PyObject *args)
{
  PyObject *given, *around, *list, *otherwise;
  LLVMValueRef parent;
  LLVMBasicBlockRef unwind;
  if (!PyArg_ParseTuple(args, "OOO!O:catchswitch", &given, &around, &PyTuple_Type, &list, &otherwise) ||
      !find_parent(place, around, &parent) || !find_unwind(place, otherwise, &unwind))
    return NULL;
  Py_ssize_t count = PyTuple_Size(list);
  if (!count)
    return place_refuse(place, "a catchswitch needs at least one handler");
  for (Py_ssize_t i = 0; i < count; i++)
    if (!place_block(place, PyTuple_GetItem(list, i), "a handler"))
      return NULL;
  LLVMValueRef built = LLVMBuildCatchSwitch(place->builder, parent, unwind, (unsigned)count, place->name);
  for (Py_ssize_t i = 0; i < count; i++)
    LLVMAddHandler(built, place_block(place, PyTuple_GetItem(list, i), "a handler"));
  return built;
}

LLVMValueRef ir_build_cleanupret(struct place *place, PyObject *args)
{
  PyObject *given, *object, *otherwise;
  LLVMBasicBlockRef unwind;
  if (!PyArg_ParseTuple(args, "OOO:cleanupret", &given, &object, &otherwise))
    return NULL;
  LLVMValueRef pad = place_operand(place, object, "the cleanuppad");
  if (pad && !LLVMIsACleanupPadInst(pad))
    return place_refuse(place, "the operand of a cleanupret must be a cleanuppad");
  return pad && find_unwind(place, otherwise, &unwind) ? LLVMBuildCleanupRet(place->builder, pad, unwind) : NULL;
}

LLVMValueRef ir_build_catchret(struct place *place, PyObject *args)
{
  PyObject *given, *object, *target;
  if (!PyArg_ParseTuple(args, "OOO:catchret", &given, &object, &target))
    return NULL;
  LLVMValueRef pad = place_operand(place, object, "the catchpad");
  if (pad && !LLVMIsACatchPadInst(pad))
    return place_refuse(place, "the operand of a catchret must be a catchpad");
  LLVMBasicBlockRef block = pad ? place_block(place, target, "the target of a catchret") : NULL;
  return block ? LLVMBuildCatchRet(place->builder, pad, block) : NULL;
}
