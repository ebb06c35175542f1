/* Checks and helpers for building IR from Python. LLVM-C checks nothing in release builds, so values that do not fit
   would corrupt memory; every builder validates its operands first.
   Requires: ir.h, ir_type.h.
   Guarantees: an exception instead of invalid IR that LLVM-C would accept. */
#pragma once

#include "ir.h"
#include "ir_type.h"

/* Role of the new instruction (END: it terminates the block), or what the first argument names instead of an insertion
   point: a value to change, the module for a new global, or the module for a constant, which does not change it. */
enum site_role { SITE_PLAIN, SITE_PHI, SITE_PAD, SITE_END, SITE_PAD_AND_END, SITE_VALUE, SITE_MODULE, SITE_CONSTANT };

/* An insertion point for new instructions, or a module for globals, with the lock of its module. */
struct build_site {
  struct core_state *state;
  PyObject *module; /* locked during the call, which increments its generation */
  coro_module *locked;
  LLVMModuleRef llvm;
  LLVMContextRef context;
  LLVMValueRef target; /* SITE_VALUE: the value to change */
  LLVMValueRef built; /* the result of a change; NULL: None */
  LLVMValueRef function; /* NULL: outside of a function */
  LLVMBasicBlockRef block;
  LLVMValueRef before; /* NULL: at the end of the block */
  LLVMBuilderRef builder;
  PyObject *name_bytes;
  const char *name; /* "" for none */
  struct site_values *lists; /* that site_parse has created */
  char type_texts[2][120]; /* for messages about two types */
  unsigned last_text;
  bool unchanged; /* nothing was added to the module, so views stay valid */
  bool constant; /* all operands so far are constants, so LLVM folds the result */
};

struct site_values { /* operands given as a tuple; they live as long as the site */
  size_t count;
  struct site_values *next;
  LLVMValueRef items[];
};

/* Raises UsageError unless an exception is set. Returns NULL. printf formats; at most 400 bytes. */
void *site_raise_usage_error(struct build_site *site, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The function's debug information. NULL: it has none, and UsageError is raised. */
LLVMMetadataRef site_subprogram_or_raise(struct build_site *site);
bool site_read_name(struct build_site *site, PyObject *name); /* stores the name of the new value */
/* The text of a type in a message: valid until that of the second next type. */
const char *site_text_of_type(struct build_site *site, LLVMTypeRef type);

/* An operand: a value of the module that is usable at the insertion point. `what` names it in messages: "the
   divisor". */
LLVMValueRef site_operand(struct build_site *site, PyObject *object, const char *what);
/* An operand of the given type. */
LLVMValueRef site_operand_of(struct build_site *site, PyObject *object, LLVMTypeRef type, const char *what);
/* An operand that is a pointer. */
LLVMValueRef site_pointer(struct build_site *site, PyObject *object);
LLVMValueRef site_pointers(struct build_site *site, PyObject *object); /* or a vector of pointers */
/* The operands in a tuple. NULL with an exception set. */
struct site_values *site_parse_operands(struct build_site *site, PyObject *list, const char *what);
/* A block of the current function. */
LLVMBasicBlockRef site_block(struct build_site *site, PyObject *object, const char *what);
LLVMTypeRef site_type(struct build_site *site, PyObject *object, const char *what);

/* Converts the arguments after the first, which names the site. For each letter of the format, the caller passes a
   pointer to the result. V: an operand; =: an operand of the type of the operand before; T: a type; B: a block; L: a
   tuple of operands (struct site_values *); P: a pointer; A: an alignment (uint64_t); s: a text; I: an unsigned;
   i: an int; p: a bool (int); O: any object; N: the name of the site (no result). After the result of V, =, T, B and L
   follows the text that names the argument in messages. Operands are checked from left to right. False with an
   exception set. */
bool site_parse(struct build_site *site, PyObject *args, const char *format, ...);

/* Checks that the type is sized. */
bool site_check_type_is_sized(struct build_site *site, LLVMTypeRef type, const char *what);
/* Checks that LLVM can fold constants of this size in reasonable time. */
bool site_check_constants_are_small_to_fold(struct build_site *site, const LLVMValueRef *operands, size_t count,
                                            LLVMTypeRef result);
bool site_check_alignment(struct build_site *site, uint64_t align); /* checks an alignment; 0 is the type's own */
/* sets alignment and volatility of a memory access */
void site_set_alignment_and_volatility(LLVMValueRef built, uint64_t align, bool is_volatile);
/* The kind of a type or of a vector's elements. */
LLVMTypeKind site_scalar_kind(LLVMTypeRef type);
LLVMTypeRef site_scalar(LLVMTypeRef type);
bool site_has_float_type(LLVMTypeRef type);
/* Whether both are scalars, or vectors of the same length. */
bool site_have_same_vector_length(LLVMTypeRef a, LLVMTypeRef b);
/* Whether an instruction may have this type: not void, label, metadata or function. */
bool site_is_value_type(LLVMTypeRef type);
bool site_is_data_type(LLVMTypeRef type); /* and not token */
bool site_is_pad(LLVMValueRef instruction); /* catchswitch too */

/* ---- Functions that build or change IR, one per row of ir_builders.def ---- */

typedef LLVMValueRef ir_build(struct build_site *site, PyObject *args);
typedef bool ir_change(struct build_site *site, PyObject *args);
#define IR_BUILDER(name, role, arguments) ir_build ir_build_##name;
#define IR_CHANGE(name, role, arguments) ir_change ir_change_##name;
#include "ir_builders.def"

/* Flags of instructions, as Python passes them. */
enum { IR_NUW = 1, IR_NSW = 2, IR_EXACT = 4, IR_DISJOINT = 8, IR_NNEG = 16 };
unsigned ir_flags_of_opcode(LLVMOpcode opcode); /* those that instructions with this opcode may have; no fast-math */
/* Sets flags if LLVM has built an instruction instead of folding it. */
void ir_set_flags_if_instruction(LLVMValueRef built, LLVMOpcode opcode, unsigned set);
void ir_set_fast_math_if_instruction(LLVMValueRef built,
                                     unsigned fast); /* sets fast-math flags if an instruction was built */
