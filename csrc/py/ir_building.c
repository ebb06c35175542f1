/* An insertion point of Python's: the module is locked and an LLVM builder is positioned there. Each row of
   ir_builders.def is a Python method that builds or changes IR there.
   Requires: ir_building.h.
   Guarantees: after leaving it, nothing is locked and the builder is disposed of. */
#include "ir_building.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "llvm-c/DebugInfo.h"

void *site_raise_usage_error(struct build_site *site, const char *format, ...)
{
  char message[400];
  va_list list;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  return PyErr_Occurred() ? NULL : core_raise_named(site->state, "UsageError", message);
}

/* ---- Position ---- */

bool site_is_pad(LLVMValueRef instruction)
{
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMLandingPad:
  case LLVMCatchPad:
  case LLVMCleanupPad:
  case LLVMCatchSwitch: return true;
  default: return false;
  }
}

/* Checks that only phis, or only instructions allowed before a pad, precede the insertion point. */
static bool check_instruction_before(struct build_site *site, enum site_role role, LLVMValueRef ahead)
{
  if (role == SITE_PHI && ahead && !LLVMIsAPHINode(ahead))
    return site_raise_usage_error(site, "phis must precede all other instructions of their block");
  if ((role == SITE_PAD || role == SITE_PAD_AND_END) && ahead && !LLVMIsAPHINode(ahead))
    return site_raise_usage_error(site, "a pad must be the first instruction of its block after the phis");
  return true;
}

static bool check_block_allows_instruction(struct build_site *site, enum site_role role)
{
  LLVMValueRef before = site->before, end = LLVMGetBasicBlockTerminator(site->block);
  LLVMValueRef ahead = before ? LLVMGetPreviousInstruction(before) : LLVMGetLastInstruction(site->block);
  if (!before && end)
    return site_raise_usage_error(site, "the block already has a terminator: build before it, or erase it");
  if (before && (role == SITE_END || role == SITE_PAD_AND_END))
    return site_raise_usage_error(
        site, "a terminator must be the last instruction of its block: build it at the block's end");
  if (LLVMIsAPHINode(before) && role != SITE_PHI)
    return site_raise_usage_error(site, "phis must precede all other instructions of their block: build after them");
  if (before && site_is_pad(before) && role != SITE_PHI)
    return site_raise_usage_error(site,
                                  "a pad must be the first instruction of its block after the phis: build after it");
  return check_instruction_before(site, role, ahead);
}

/* Resolves a Block (its end) or an Instruction (before it). */
static bool find_insertion_point(struct build_site *site, PyObject *where)
{
  LLVMValueRef value = core_ir_unwrap(site->state, where, site->module);
  if (!value)
    return false;
  if (LLVMValueIsBasicBlock(value)) {
    site->block = LLVMValueAsBasicBlock(value);
  } else {
    site->before = value;
    site->block = LLVMGetInstructionParent(value);
  }
  site->function = LLVMGetBasicBlockParent(site->block);
  return true;
}

static bool init_site_with_lock(struct build_site *site, PyObject *core, PyObject *module)
{
  memset(site, 0, sizeof *site);
  site->state = PyModule_GetState(core);
  site->locked = core_module_acquire(site->state, module);
  if (!site->locked)
    return false;
  site->module = Py_NewRef(module);
  site->llvm = coro_module_llvm(site->locked);
  site->context = LLVMGetModuleContext(site->llvm);
  site->constant = true;
  site->name = "";
  return true;
}

static void release_site(struct build_site *site)
{
  if (site->builder)
    LLVMDisposeBuilder(site->builder);
  for (struct site_values *values = site->lists, *next; values; values = next) {
    next = values->next;
    PyMem_Free(values);
  }
  core_module_release(site->module);
  Py_CLEAR(site->module);
  Py_CLEAR(site->name_bytes);
}

/* ---- Debug locations ---- */

LLVMMetadataRef site_subprogram_or_raise(struct build_site *site)
{
  LLVMMetadataRef subprogram = LLVMGetSubprogram(site->function);
  return subprogram ? subprogram
                    : site_raise_usage_error(site, "the function has no debug information, so it cannot have debug "
                                                   "locations: describe the function first");
}

static LLVMMetadataRef location_metadata(struct build_site *site, PyObject *debug)
{
  unsigned line, column;
  if (!PyArg_ParseTuple(debug, "II;a debug location must be an instruction or (line, column)", &line, &column))
    return NULL;
  LLVMMetadataRef scope = site_subprogram_or_raise(site);
  return scope ? LLVMDIBuilderCreateDebugLocation(site->context, line, column, scope, NULL) : NULL;
}

static bool set_builder_location(struct build_site *site, PyObject *debug)
{
  LLVMMetadataRef location = NULL;
  if (debug == Py_None)
    return true;
  if (PyTuple_Check(debug)) {
    location = location_metadata(site, debug);
    if (!location)
      return false;
  } else {
    LLVMValueRef model = core_ir_unwrap(site->state, debug, site->module);
    if (!model)
      return false;
    if (!LLVMIsAInstruction(model) || LLVMGetBasicBlockParent(LLVMGetInstructionParent(model)) != site->function)
      return site_raise_usage_error(site, "a debug location must be copied from an instruction of the same function");
    location = LLVMInstructionGetDebugLoc(model);
  }
  if (location)
    LLVMSetCurrentDebugLocation2(site->builder, location);
  return true;
}

/* ---- Entering and leaving ---- */

static void create_builder_at_insertion_point(struct build_site *site, enum site_role kind_of_new_instruction)
{
  site->builder = LLVMCreateBuilderInContext(site->context);
  if (!site->before)
    LLVMPositionBuilderAtEnd(site->builder, site->block);
  else if (kind_of_new_instruction == SITE_PHI || kind_of_new_instruction == SITE_PAD)
    LLVMPositionBuilderBeforeInstrAndDbgRecords(site->builder, site->before);
  else
    LLVMPositionBuilderBefore(site->builder, site->before);
  /* otherwise the builder takes the location of the instruction after it */
  LLVMSetCurrentDebugLocation2(site->builder, NULL);
}

bool site_read_name(struct build_site *site, PyObject *name)
{
  site->name_bytes = core_name_bytes(site->module, name);
  site->name = site->name_bytes ? PyBytes_AsString(site->name_bytes) : NULL;
  return site->name;
}

/* Locks the module of a value object. NULL with an exception set. */
static struct value_object *lock_module_of_value(PyObject *core, PyObject *object, struct build_site *site)
{
  struct value_object *found = core_ir_acquire_module_of_value(PyModule_GetState(core), object);
  if (!found)
    return NULL;
  PyObject *module = Py_NewRef(found->module);
  core_module_release(module);
  bool locked = init_site_with_lock(site, core, module);
  Py_DECREF(module);
  return locked ? found : NULL;
}

static bool lock_and_find_insertion_point(PyObject *core, PyObject *given, struct build_site *site, enum site_role role)
{
  PyObject *where, *debug, *name;
  if (!PyTuple_Check(given))
    return PyErr_Format(PyExc_TypeError, "an insertion point must be a tuple, not %R", given);
  if (!PyArg_ParseTuple(given, "OOO", &where, &debug, &name))
    return false;
  const struct value_object *object = lock_module_of_value(core, where, site);
  if (!object)
    return false;
  bool fine = object->kind == IR_BLOCK || object->kind == IR_INSTRUCTION;
  if (!fine)
    PyErr_Format(PyExc_TypeError, "the insertion point of a builder must be a Block or an Instruction, not %R", where);
  fine = fine && find_insertion_point(site, where) && site_read_name(site, name) &&
         check_block_allows_instruction(site, role);
  if (fine)
    create_builder_at_insertion_point(site, role);
  if (fine && set_builder_location(site, debug))
    return true;
  release_site(site);
  return false;
}

static bool lock_value_operand(PyObject *core, PyObject *object, struct build_site *site)
{
  if (!lock_module_of_value(core, object, site))
    return false;
  LLVMValueRef value = site->target = core_ir_unwrap(site->state, object, site->module);
  if (!value) {
    release_site(site);
    return false;
  }
  if (LLVMValueIsBasicBlock(value))
    site->function = LLVMGetBasicBlockParent(LLVMValueAsBasicBlock(value));
  else if (LLVMIsAInstruction(value))
    site->function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(value));
  else
    site->function = LLVMIsAFunction(value) ? value : LLVMIsAArgument(value) ? LLVMGetParamParent(value) : NULL;
  return true;
}

/* Enters what the first argument names: an insertion point as (where, debug, name), a value or a module. where: a Block
   (its end) or an Instruction (before it). debug: None, an Instruction whose location is used, or (line, column). False
   with an exception set and nothing locked. */
static bool enter_site(PyObject *core, PyObject *given, struct build_site *site, enum site_role role)
{
  switch (role) {
  case SITE_VALUE: return lock_value_operand(core, given, site);
  case SITE_MODULE: return init_site_with_lock(site, core, given);
  case SITE_CONSTANT: return init_site_with_lock(site, core, given) && (site->unchanged = true);
  default: return lock_and_find_insertion_point(core, given, site, role);
  }
}

/* ---- Python methods, one per row of ir_builders.def ---- */

static PyObject *build_or_change_at_site(PyObject *core, PyObject *args, enum site_role role, ir_build *build,
                                         ir_change *change)
{
  struct build_site site;
  if (PyTuple_Size(args) < 1)
    return PyErr_Format(PyExc_TypeError, "expected an insertion point, a value or a module");
  if (!enter_site(core, PyTuple_GetItem(args, 0), &site, role))
    return NULL;
  bool fine = build ? (site.built = build(&site, args)) != NULL : change(&site, args);
  if (fine && !site.unchanged)
    core_ir_mark_module_edited(site.module);
  PyObject *object = fine ? core_ir_value(site.module, site.built) : NULL;
  release_site(&site);
  return object;
}

#define IR_BUILDER(name, role, arguments)                                                                              \
  static PyObject *build_##name(PyObject *core, PyObject *args)                                                        \
  {                                                                                                                    \
    return build_or_change_at_site(core, args, SITE_##role, ir_build_##name, NULL);                                    \
  }
#define IR_CHANGE(name, role, arguments)                                                                               \
  static PyObject *change_##name(PyObject *core, PyObject *args)                                                       \
  {                                                                                                                    \
    return build_or_change_at_site(core, args, SITE_##role, NULL, ir_change_##name);                                   \
  }
#include "ir_builders.def"

PyMethodDef core_ir_build_methods[] = {
#define IR_BUILDER(name, role, arguments)                                                                              \
  {"ir_build_" #name, build_##name, METH_VARARGS, PyDoc_STR("ir_build_" #name "(site, " arguments ")")},
#define IR_CHANGE(name, role, arguments)                                                                               \
  {"ir_" #name, change_##name, METH_VARARGS, PyDoc_STR("ir_" #name "(" arguments ")")},
#include "ir_builders.def"
    {NULL, NULL, 0, NULL},
};
