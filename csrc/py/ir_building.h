/* Building: a place in a module, what is built there, and what LLVM would take on trust. Debian's LLVM checks
   nothing of it: what is built of values that do not fit is memory overwritten.
   Needs: ir.h, ir_type.h. Leaves: an exception before LLVM is asked for what it does not check. */
#ifndef CORO_PY_IR_BUILDING_H
#define CORO_PY_IR_BUILDING_H

#include "ir.h"
#include "ir_type.h"

/* What is to be built: END: it ends the block. */
enum place_role { PLACE_PLAIN, PLACE_PHI, PLACE_PAD, PLACE_END, PLACE_PAD_AND_END };

struct place {
  struct core_state *state;
  PyObject *module; /* held until place_leave; its generation grows then */
  coro_module *held;
  LLVMModuleRef llvm;
  LLVMContextRef context;
  LLVMValueRef function; /* NULL: nowhere in a function */
  LLVMBasicBlockRef block;
  LLVMValueRef before; /* NULL: at the end of the block */
  LLVMBuilderRef builder;
  PyObject *name_bytes;
  const char *name; /* "" for none */
  bool unchanged; /* nothing is built in the module: views stay */
  bool constant; /* all that was asked for as an operand is a constant, so that LLVM computes the result */
};

/* A place of Python's is (where, debug, name): where is a Block, for its end, or the Instruction to build before; debug
   is None, an Instruction of the function to have the location of, or (line, column). False with an exception set; then
   nothing is held. */
bool place_enter(PyObject *core, PyObject *given, struct place *place, enum place_role role);
/* Of a module, for what stands in no function. */
bool place_enter_module(PyObject *core, PyObject *module, struct place *place);
/* Of the function that a value is of, or is, for what is done to the value; NULL with an exception set. */
LLVMValueRef place_enter_value(PyObject *core, PyObject *object, struct place *place);
/* The object of what was built, or None where nothing is; `failed`: NULL, with the exception that is set. */
PyObject *place_leave(struct place *place, LLVMValueRef built, bool failed);

/* UsageError, or what is set already. Returns NULL. %-formats of printf; no more than 400 bytes. */
void *place_refuse(struct place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool place_name(struct place *place, PyObject *name); /* takes over what something is to be named */
/* A type as text for a message, in the buffer. */
struct place_text {
  char text[120];
};
const char *place_type_text(struct place *place, LLVMTypeRef type, struct place_text *text);

/* An operand: a value of the module that can be used at the place. `what` names it in messages: "the divisor". */
LLVMValueRef place_operand(struct place *place, PyObject *object, const char *what);
/* Likewise, of the type. */
LLVMValueRef place_operand_of(struct place *place, PyObject *object, LLVMTypeRef type, const char *what);
/* Likewise, of an address. */
LLVMValueRef place_pointer(struct place *place, PyObject *object);
/* Operands of a list or a tuple. The caller's, by PyMem_Free; NULL with an exception set. */
LLVMValueRef *place_operands(struct place *place, PyObject *list, size_t *count, const char *what);
/* A block of the place's function. */
LLVMBasicBlockRef place_block(struct place *place, PyObject *object, const char *what);
LLVMTypeRef place_type(struct place *place, PyObject *object, const char *what);

/* Whether there are values of the type in memory. */
bool place_sized(struct place *place, LLVMTypeRef type, const char *what);
/* Whether LLVM comes back from computing a result of the type, where all operands are constants. */
bool place_folds(struct place *place, const LLVMValueRef *operands, size_t count, LLVMTypeRef result);
bool place_align(struct place *place, uint64_t align); /* 0 is the type's own */
void place_memory(LLVMValueRef built, uint64_t align, bool is_volatile); /* of what loads, stores or changes memory */
/* The kind of a type, or of the elements of a vector. */
LLVMTypeKind place_scalar_kind(LLVMTypeRef type);
LLVMTypeRef place_scalar(LLVMTypeRef type);
bool place_is_float(LLVMTypeRef type);
/* Both scalars, or vectors of as many elements. */
bool place_same_shape(LLVMTypeRef a, LLVMTypeRef b);
/* Whether an instruction may give it: no void, label, metadata, function. */
bool place_is_value(LLVMTypeRef type);

#endif
