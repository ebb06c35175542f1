/* Checks and helpers for building IR from Python. LLVM-C checks nothing in release builds, so values that do not fit
   would corrupt memory; every builder validates its operands first.
   Requires: ir.h, ir_type.h.
   Guarantees: an exception instead of invalid IR that LLVM-C would accept. */
#ifndef CORO_PY_IR_BUILDING_H
#define CORO_PY_IR_BUILDING_H

#include "ir.h"
#include "ir_type.h"

/* Role of the new instruction. END: it terminates the block. */
enum place_role { PLACE_PLAIN, PLACE_PHI, PLACE_PAD, PLACE_END, PLACE_PAD_AND_END };

struct place {
  struct core_state *state;
  PyObject *module; /* locked until place_leave, which increments its generation */
  coro_module *held;
  LLVMModuleRef llvm;
  LLVMContextRef context;
  LLVMValueRef function; /* NULL: outside of a function */
  LLVMBasicBlockRef block;
  LLVMValueRef before; /* NULL: at the end of the block */
  LLVMBuilderRef builder;
  PyObject *name_bytes;
  const char *name; /* "" for none */
  bool unchanged; /* nothing was added to the module, so views stay valid */
  bool constant; /* all operands so far are constants, so LLVM folds the result */
};

/* Enters an insertion point given as (where, debug, name). where: a Block (its end) or an Instruction (before it).
   debug: None, an Instruction whose location is used, or (line, column). False with an exception set and nothing
   locked. */
bool place_enter(PyObject *core, PyObject *given, struct place *place, enum place_role role);
/* Enters a module, for globals. */
bool place_enter_module(PyObject *core, PyObject *module, struct place *place);
/* Enters the function that contains a value, to change that value. NULL with an exception set. */
LLVMValueRef place_enter_value(PyObject *core, PyObject *object, struct place *place);
/* Leaves the place. Returns the object of the built value, or None; with `failed`, NULL, the exception set. */
PyObject *place_leave(struct place *place, LLVMValueRef built, bool failed);

/* Raises UsageError unless an exception is set. Returns NULL. printf formats; at most 400 bytes. */
void *place_refuse(struct place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool place_name(struct place *place, PyObject *name); /* stores the name of the new value */
/* Buffer for the text of a type in a message. */
struct place_text {
  char text[120];
};
const char *place_type_text(struct place *place, LLVMTypeRef type, struct place_text *text);

/* An operand: a value of the module that is usable at the insertion point. `what` names it in messages: "the
   divisor". */
LLVMValueRef place_operand(struct place *place, PyObject *object, const char *what);
/* An operand of the given type. */
LLVMValueRef place_operand_of(struct place *place, PyObject *object, LLVMTypeRef type, const char *what);
/* An operand that is a pointer. */
LLVMValueRef place_pointer(struct place *place, PyObject *object);
/* The operands in a list or tuple. The caller frees the array by PyMem_Free; NULL with an exception set. */
LLVMValueRef *place_operands(struct place *place, PyObject *list, size_t *count, const char *what);
/* A block of the current function. */
LLVMBasicBlockRef place_block(struct place *place, PyObject *object, const char *what);
LLVMTypeRef place_type(struct place *place, PyObject *object, const char *what);

/* Checks that the type is sized. */
bool place_sized(struct place *place, LLVMTypeRef type, const char *what);
/* Checks that LLVM can fold constants of this size in reasonable time. */
bool place_folds(struct place *place, const LLVMValueRef *operands, size_t count, LLVMTypeRef result);
bool place_align(struct place *place, uint64_t align); /* checks an alignment; 0 is the type's own */
/* sets alignment and volatility of a memory access */
void place_memory(LLVMValueRef built, uint64_t align, bool is_volatile);
/* The kind of a type or of a vector's elements. */
LLVMTypeKind place_scalar_kind(LLVMTypeRef type);
LLVMTypeRef place_scalar(LLVMTypeRef type);
bool place_is_float(LLVMTypeRef type);
/* Whether both are scalars, or vectors of the same length. */
bool place_same_shape(LLVMTypeRef a, LLVMTypeRef b);
/* Whether an instruction may have this type: not void, label, metadata or function. */
bool place_is_value(LLVMTypeRef type);

#endif
