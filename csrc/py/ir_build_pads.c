/* Builders of funclet pads and of the instructions that leave them.
   Requires: a build site (ir_building.h).
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: parents are pads, a catchpad belongs to a
   catchswitch, and a return from a pad names it. */
#include "ir_build.h"

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
