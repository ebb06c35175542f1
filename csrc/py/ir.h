/* LLVM values as Python objects, one live object per value.
   Requires: module_lock.h, LLVM-C.
   Guarantees: the object of an erased value raises StaleViewError. */
#pragma once

#include "ir_type.h"
#include "llvm-c/Core.h"
#include "module_lock.h"

#define IR_IS(kind) (1u << IR_##kind)
#define IR_ANY ((1u << IR_KINDS) - 1)
#define IR_GLOBAL (IR_IS(FUNCTION) | IR_IS(VARIABLE) | IR_IS(ALIAS) | IR_IS(IFUNC))
#define IR_USER (IR_GLOBAL | IR_IS(INSTRUCTION) | IR_IS(CONSTANT)) /* values whose operands LLVM-C can access */

/* ---- Functions to call with the module locked (core_module_acquire), a `_core.Module` ---- */

/* The object of a value: a new reference. None for NULL. NULL with an exception set. */
PyObject *core_ir_value(PyObject *module, LLVMValueRef value);
PyObject *core_ir_block(PyObject *module, LLVMBasicBlockRef block);
/* A tuple of the objects of `count` values. */
PyObject *core_ir_values(PyObject *module, const LLVMValueRef *values, size_t count);
/* A tuple of the objects of nth(value, i) for each i < count. */
typedef LLVMValueRef ir_nth(LLVMValueRef value, unsigned index);
PyObject *core_ir_each(PyObject *module, LLVMValueRef value, unsigned count, ir_nth *nth);

/* Call before erasing an instruction, block, argument, function or global. Makes its object stale, and those of
   everything it contains. */
void core_ir_mark_value_contents_metadata_stale(PyObject *module, LLVMValueRef value);
/* Call before LLVM may destroy constants (replacing the uses of a global, erasing it). Makes the objects of metadata
   and of constants with operands stale. */
void core_ir_mark_constants_and_metadata_stale(PyObject *module);
/* Call before replacing the uses of a value. Metadata that refers to the value may become equal to other metadata,
   so its object becomes stale. Erasing a value includes this. */
void core_ir_mark_metadata_stale(PyObject *module);
/* Call after changing the module through LLVM-C. Views become stale; the objects of values do not. */
void core_ir_mark_module_edited(PyObject *module);

/* ---- Functions to call with the module unlocked ---- */

/* Checks the type of an object and locks its module until core_module_release(self->module). NULL with TypeError,
   ClosedError, BusyError or StaleViewError set. */
struct value_object *core_ir_acquire_module_of_value(struct core_state *state, PyObject *object);
/* The value of an object while `module` is locked. NULL with TypeError, StaleViewError, or UsageError (another
   module's value) set. */
LLVMValueRef core_ir_unwrap(struct core_state *state, PyObject *object, PyObject *module);

/* ---- Queries: called with the module locked, on a value of one of the query's kinds ---- */

typedef PyObject *ir_getter(struct value_object *self);
#define IR_QUERY(name, kinds, doc) ir_getter ir_get_##name;
#include "ir_queries.def"

bool ir_is_call(LLVMValueRef value); /* call, invoke or callbr */
