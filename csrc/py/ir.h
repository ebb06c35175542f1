/* Values of LLVM as Python objects: one for each while somebody has it.
   Needs: held.h, LLVM-C. Leaves: an object whose value is gone knows it, and raises StaleViewError. */
#ifndef CORO_PY_IR_H
#define CORO_PY_IR_H

#include "held.h"
#include "ir_type.h"
#include "llvm-c/Core.h"

#define IR_IS(kind) (1u << IR_##kind)
#define IR_ANY ((1u << IR_KINDS) - 1)
#define IR_GLOBAL (IR_IS(FUNCTION) | IR_IS(VARIABLE) | IR_IS(ALIAS) | IR_IS(IFUNC))
#define IR_USER (IR_GLOBAL | IR_IS(INSTRUCTION) | IR_IS(CONSTANT)) /* what has operands that LLVM-C may be asked for */

/* ---- For whoever holds the module (core_module_acquire), a `_core.Module` ---- */

/* The object of a value of the module: a new reference. None for NULL. NULL with an exception set. */
PyObject *core_ir_value(PyObject *module, LLVMValueRef value);
PyObject *core_ir_block(PyObject *module, LLVMBasicBlockRef block);
/* A tuple of the objects of `count` values. */
PyObject *core_ir_values(PyObject *module, const LLVMValueRef *values, size_t count);
/* A tuple of the objects of what `nth` gives of a value for the indices below `count`. */
typedef LLVMValueRef ir_nth(LLVMValueRef value, unsigned index);
PyObject *core_ir_each(PyObject *module, LLVMValueRef value, unsigned count, ir_nth *nth);

/* Before an instruction, block, argument, function or global is erased: its object is stale from now on, and those of
   all that goes with it: the instructions of a block, the blocks and arguments of a function. */
void core_ir_forget(PyObject *module, LLVMValueRef value);
/* Before something is done by which LLVM may destroy constants (replaces the uses of a global, erases a global): the
   objects of constants that have operands, and of metadata, are stale from now on. */
void core_ir_forget_constants(PyObject *module);
/* Before the uses of a value are replaced: what names it as metadata may become what names the other one so, and its
   object is stale from now on. Erasing a value does that too. */
void core_ir_forget_metadata(PyObject *module);
/* After the module was changed through LLVM-C: views of it are stale, values that were not forgotten are not. */
void core_ir_edited(PyObject *module);

/* ---- For whoever does not ---- */

/* The object as what it is, its module held until core_module_release(self->module). NULL with TypeError, ClosedError,
   BusyError or StaleViewError set. */
struct value_object *core_ir_acquire(struct core_state *state, PyObject *object);
/* The value of an object, while `module` is held. NULL with TypeError, StaleViewError, or, where it belongs to another
   module, UsageError set. */
LLVMValueRef core_ir_unwrap(struct core_state *state, PyObject *object, PyObject *module);

/* ---- Looking: each is called with the module held, on an object of one of its kinds ---- */

typedef PyObject *ir_look(struct value_object *self);
#define IR_LOOK(name, kinds, doc) ir_look ir_look_##name;
#include "ir_looks.def"

/* What LLVM's numbers are called; NULL where there is none. */
enum { IR_ORDERINGS = LLVMAtomicOrderingSequentiallyConsistent + 1, IR_OPERATIONS = LLVMAtomicRMWBinOpFMinimum + 1 };
extern const char *const ir_ordering_words[IR_ORDERINGS]; /* by LLVMAtomicOrdering */
extern const char *const ir_operation_words[IR_OPERATIONS]; /* by LLVMAtomicRMWBinOp */

#endif
