/* Checks and helpers for building IR from Python. LLVM-C checks nothing in release builds, so values that do not fit
   would corrupt memory; every builder validates its operands first.
   Requires: ir.h, ir_type.h.
   Guarantees: an exception instead of invalid IR that LLVM-C would accept. */
#ifndef CORO_PY_IR_BUILDING_H
#define CORO_PY_IR_BUILDING_H

#include "ir.h"
#include "ir_type.h"

/* Role of the new instruction. END: it terminates the block. */
enum site_role { SITE_PLAIN, SITE_PHI, SITE_PAD, SITE_END, SITE_PAD_AND_END };

/* An insertion point for new instructions, or a module for globals, with the lock of its module. */
struct build_site {
  struct core_state *state;
  PyObject *module; /* locked until site_exit, which increments its generation */
  coro_module *locked;
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
bool site_enter(PyObject *core, PyObject *given, struct build_site *site, enum site_role role);
/* Enters a module, for globals. */
bool site_enter_module(PyObject *core, PyObject *module, struct build_site *site);
/* Enters the function that contains a value, to change that value. NULL with an exception set. */
LLVMValueRef site_enter_value(PyObject *core, PyObject *object, struct build_site *site);
/* Ends the change. Returns the object of the built value, or None; with `failed`, NULL, the exception set. */
PyObject *site_exit(struct build_site *site, LLVMValueRef built, bool failed);

/* Raises UsageError unless an exception is set. Returns NULL. printf formats; at most 400 bytes. */
void *site_raise(struct build_site *site, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool site_name(struct build_site *site, PyObject *name); /* stores the name of the new value */
/* Buffer for the text of a type in a message. */
struct site_text {
  char text[120];
};
const char *site_type_text(struct build_site *site, LLVMTypeRef type, struct site_text *text);

/* An operand: a value of the module that is usable at the insertion point. `what` names it in messages: "the
   divisor". */
LLVMValueRef site_operand(struct build_site *site, PyObject *object, const char *what);
/* An operand of the given type. */
LLVMValueRef site_operand_of(struct build_site *site, PyObject *object, LLVMTypeRef type, const char *what);
/* An operand that is a pointer. */
LLVMValueRef site_pointer(struct build_site *site, PyObject *object);
/* The operands in a list or tuple. The caller frees the array by PyMem_Free; NULL with an exception set. */
LLVMValueRef *site_operands(struct build_site *site, PyObject *list, size_t *count, const char *what);
/* A block of the current function. */
LLVMBasicBlockRef site_block(struct build_site *site, PyObject *object, const char *what);
LLVMTypeRef site_type(struct build_site *site, PyObject *object, const char *what);

/* Checks that the type is sized. */
bool site_sized(struct build_site *site, LLVMTypeRef type, const char *what);
/* Checks that LLVM can fold constants of this size in reasonable time. */
bool site_folds(struct build_site *site, const LLVMValueRef *operands, size_t count, LLVMTypeRef result);
bool site_align(struct build_site *site, uint64_t align); /* checks an alignment; 0 is the type's own */
/* sets alignment and volatility of a memory access */
void site_memory(LLVMValueRef built, uint64_t align, bool is_volatile);
/* The kind of a type or of a vector's elements. */
LLVMTypeKind site_scalar_kind(LLVMTypeRef type);
LLVMTypeRef site_scalar(LLVMTypeRef type);
bool site_is_float(LLVMTypeRef type);
/* Whether both are scalars, or vectors of the same length. */
bool site_same_shape(LLVMTypeRef a, LLVMTypeRef b);
/* Whether an instruction may have this type: not void, label, metadata or function. */
bool site_is_value(LLVMTypeRef type);

#endif
