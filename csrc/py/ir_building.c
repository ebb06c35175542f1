/* An insertion point of Python's: the module is locked and an LLVM builder is positioned there.
   Requires: ir_building.h.
   Guarantees: after leaving it, nothing is locked and the builder is disposed of. */
#include "ir_building.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "llvm-c/DebugInfo.h"

void *place_refuse(struct place *place, const char *format, ...)
{
  char message[400];
  va_list list;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  return PyErr_Occurred() ? NULL : core_raise_named(place->state, "UsageError", message);
}

/* ---- Position ---- */

static bool is_pad(LLVMValueRef instruction)
{
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMLandingPad:
  case LLVMCatchPad:
  case LLVMCleanupPad:
  case LLVMCatchSwitch: return true;
  default: return false;
  }
}

static bool is_phi(LLVMValueRef instruction)
{
  return LLVMGetInstructionOpcode(instruction) == LLVMPHI;
}

static bool raise_at(struct place *place, const char *message)
{
  return place_refuse(place, "%s", message);
}

/* Checks that only phis, or only instructions allowed before a pad, precede the insertion point. */
static bool check_head(struct place *place, enum place_role role, LLVMValueRef ahead)
{
  if (role == PLACE_PHI && ahead && !is_phi(ahead))
    return raise_at(place, "phis must precede all other instructions of their block");
  if ((role == PLACE_PAD || role == PLACE_PAD_AND_END) && ahead && !is_phi(ahead))
    return raise_at(place, "a pad must be the first instruction of its block after the phis");
  return true;
}

static bool check_role(struct place *place, enum place_role role)
{
  LLVMValueRef before = place->before, end = LLVMGetBasicBlockTerminator(place->block);
  LLVMValueRef ahead = before ? LLVMGetPreviousInstruction(before) : LLVMGetLastInstruction(place->block);
  if (!before && end)
    return raise_at(place, "the block already has a terminator: build before it, or erase it");
  if (before && (role == PLACE_END || role == PLACE_PAD_AND_END))
    return raise_at(place, "a terminator must be the last instruction of its block: build it at the block's end");
  if (before && is_phi(before) && role != PLACE_PHI)
    return raise_at(place, "phis must precede all other instructions of their block: build after them");
  if (before && is_pad(before) && role != PLACE_PHI)
    return raise_at(place, "a pad must be the first instruction of its block after the phis: build after it");
  return check_head(place, role, ahead);
}

/* Resolves a Block (its end) or an Instruction (before it). */
static bool find_insertion_point(struct place *place, PyObject *where)
{
  LLVMValueRef value = core_ir_unwrap(place->state, where, place->module);
  if (!value)
    return false;
  if (LLVMValueIsBasicBlock(value)) {
    place->block = LLVMValueAsBasicBlock(value);
  } else {
    place->before = value;
    place->block = LLVMGetInstructionParent(value);
  }
  place->function = LLVMGetBasicBlockParent(place->block);
  return true;
}

static bool hold_module(struct place *place, PyObject *core, PyObject *module)
{
  memset(place, 0, sizeof *place);
  place->state = PyModule_GetState(core);
  place->held = core_module_acquire(place->state, module);
  if (!place->held)
    return false;
  place->module = Py_NewRef(module);
  place->llvm = coro_module_llvm(place->held);
  place->context = LLVMGetModuleContext(place->llvm);
  place->constant = true;
  place->name = "";
  return true;
}

static void let_go(struct place *place)
{
  if (place->builder)
    LLVMDisposeBuilder(place->builder);
  core_module_release(place->module);
  Py_CLEAR(place->module);
  Py_CLEAR(place->name_bytes);
}

/* ---- Debug locations ---- */

static LLVMMetadataRef location_metadata(struct place *place, PyObject *debug)
{
  unsigned line, column;
  LLVMMetadataRef scope = LLVMGetSubprogram(place->function);
  if (!PyArg_ParseTuple(debug, "II;a debug location must be an instruction or (line, column)", &line, &column))
    return NULL;
  if (!scope)
    return place_refuse(
        place, "the function has no debug information, so it cannot have debug locations: describe the function first");
  return LLVMDIBuilderCreateDebugLocation(place->context, line, column, scope, NULL);
}

static bool set_location(struct place *place, PyObject *debug)
{
  LLVMMetadataRef location = NULL;
  if (debug == Py_None)
    return true;
  if (PyTuple_Check(debug)) {
    location = location_metadata(place, debug);
    if (!location)
      return false;
  } else {
    LLVMValueRef model = core_ir_unwrap(place->state, debug, place->module);
    if (!model)
      return false;
    if (!LLVMIsAInstruction(model) || LLVMGetBasicBlockParent(LLVMGetInstructionParent(model)) != place->function)
      return raise_at(place, "a debug location must be copied from an instruction of the same function");
    location = LLVMInstructionGetDebugLoc(model);
  }
  if (location)
    LLVMSetCurrentDebugLocation2(place->builder, location);
  return true;
}

/* ---- Entering and leaving ---- */

static void enter_position(struct place *place, enum place_role role)
{
  place->builder = LLVMCreateBuilderInContext(place->context);
  if (!place->before)
    LLVMPositionBuilderAtEnd(place->builder, place->block);
  else if (role == PLACE_PHI || role == PLACE_PAD)
    LLVMPositionBuilderBeforeInstrAndDbgRecords(place->builder, place->before);
  else
    LLVMPositionBuilderBefore(place->builder, place->before);
  /* otherwise the builder takes the location of the instruction after it */
  LLVMSetCurrentDebugLocation2(place->builder, NULL);
}

bool place_name(struct place *place, PyObject *name)
{
  place->name_bytes = core_name_bytes(place->module, name);
  place->name = place->name_bytes ? PyBytes_AsString(place->name_bytes) : NULL;
  return place->name;
}

bool place_enter(PyObject *core, PyObject *given, struct place *place, enum place_role role)
{
  PyObject *where, *debug, *name;
  if (!PyTuple_Check(given))
    return PyErr_Format(PyExc_TypeError, "an insertion point must be a tuple, not %R", given);
  if (!PyArg_ParseTuple(given, "OOO", &where, &debug, &name))
    return false;
  struct core_state *state = PyModule_GetState(core);
  const struct value_object *object = core_ir_acquire(state, where);
  if (!object)
    return false;
  PyObject *module = Py_NewRef(object->module);
  core_module_release(module);
  bool held = object->kind == IR_BLOCK || object->kind == IR_INSTRUCTION;
  if (!held)
    PyErr_Format(PyExc_TypeError, "the insertion point of a builder must be a Block or an Instruction, not %R", where);
  held = held && hold_module(place, core, module);
  Py_DECREF(module);
  if (!held)
    return false;
  bool fine = find_insertion_point(place, where) && place_name(place, name) && check_role(place, role);
  if (fine)
    enter_position(place, role);
  if (fine && set_location(place, debug))
    return true;
  let_go(place);
  return false;
}

bool place_enter_module(PyObject *core, PyObject *module, struct place *place)
{
  return hold_module(place, core, module);
}

LLVMValueRef place_enter_value(PyObject *core, PyObject *object, struct place *place)
{
  struct core_state *state = PyModule_GetState(core);
  const struct value_object *found = core_ir_acquire(state, object);
  if (!found)
    return NULL;
  PyObject *module = Py_NewRef(found->module);
  core_module_release(module);
  bool held = hold_module(place, core, module);
  Py_DECREF(module);
  if (!held)
    return NULL;
  LLVMValueRef value = core_ir_unwrap(state, object, place->module);
  if (!value) {
    let_go(place);
    return NULL;
  }
  if (LLVMValueIsBasicBlock(value))
    place->function = LLVMGetBasicBlockParent(LLVMValueAsBasicBlock(value));
  else if (LLVMIsAInstruction(value))
    place->function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(value));
  else
    place->function = LLVMIsAFunction(value) ? value : LLVMIsAArgument(value) ? LLVMGetParamParent(value) : NULL;
  return value;
}

PyObject *place_leave(struct place *place, LLVMValueRef built, bool failed)
{
  PyObject *module = place->module;
  if (!failed && !place->unchanged)
    core_ir_edited(module);
  PyObject *object = failed ? NULL : core_ir_value(module, built);
  let_go(place);
  return object;
}
