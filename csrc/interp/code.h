/* Decoded code: functions as arrays of operations, and the targets of code addresses.
   Requires: ir_number_function. Guarantees: one struct function per function, one struct code per address. */
#pragma once

#include "interp/cell.h"
#include "interp/layout.h"
#include "ir/intrin.h"
#include "ir/number.h"

struct activation;
struct op;
typedef void op_handler(struct interp *in, struct activation *act, const struct op *op);

struct operand {
  const struct cell *constant; /* NULL: in the activation's cells */
  const struct layout *type;   /* NULL for blocks, metadata etc. */
  uint32_t slot;
};

struct op {
  op_handler *run;
  const struct layout *type; /* layout of the result's type; NULL: no result */
  struct operand *operands;
  const void *more; /* opcode-specific data */
  LLVMValueRef inst;
  uint32_t slot, count;
  uint32_t detail; /* opcode-specific: predicate, intrinsic, alignment */
  uint32_t flags;
  unsigned char opcode;
};

enum op_flags {
  OP_NUW = 1,
  OP_NSW = 2,
  OP_EXACT = 4,
  OP_NNEG = 8,
  OP_DISJOINT = 16,
  OP_SAMESIGN = 32,
  OP_NNAN = 64,
  OP_NINF = 128,
  OP_MUSTTAIL = 256,
  OP_INVOKE = 512
};

struct call { /* `more` of call and invoke */
  LLVMTypeRef type;
  LLVMValueRef callee; /* the called function; NULL: indirect, operand `arg_count` */
  const struct code *code; /* the callee's */
  op_handler *special; /* intrinsic or runtime function */
  uint32_t arg_count, normal, unwind; /* normal, unwind: blocks */
  uint32_t token; /* the instruction that defines the token of operand 0, or that uses this token */
  bool tail; /* no operation between the following suspend and the coroutine's end */
  bool queries_in_ramp; /* the program queries llvm.coro.is_in_ramp after this coro.end */
};

enum code_kind { CODE_FUNCTION, CODE_RESUME, CODE_DESTROY, CODE_NOOP, CODE_BLOCK, CODE_CONTINUATION };

struct code { /* what a code address of the program points to; the code address is the address of this struct */
  enum code_kind kind;
  struct function *function;
  const void *key; /* identity of a CODE_BLOCK: the LLVMBasicBlockRef */
  uint32_t at;     /* suspend of a CODE_CONTINUATION */
};

struct function {
  LLVMValueRef llvm;
  const char *name;
  struct ir_fn fn;
  struct op *ops; /* by instruction; NULL: not decoded, or a declaration */
  uint32_t *slots; /* by value */
  const struct layout **types; /* layouts of the arguments' types */
  const struct layout **byval; /* by argument: type of a byval copy, or NULL */
  uint32_t *byval_align;
  uint32_t cell_count;
  struct cell *initial; /* initial cells of an activation: poison */
  bool declared, variadic; /* declared: no body in the module */
  bool coroutine, decoded;
  enum intrin abi; /* its coro.id intrinsic; INTRIN_NONE: not a coroutine */
  LLVMValueRef id;
  bool suspends; /* has a reachable suspend */
  bool allocates; /* calls llvm.coro.alloc */
  uint32_t final; /* instruction of the final suspend, or IR_NONE */
  const struct layout *promise;
  uint32_t promise_inst, promise_align; /* IR_NONE: none */
  const char **names; /* names of its values, computed on demand */
  struct code code, resume, destroy;
};

/* Decoders compute `more`; false: out of memory. */
struct decoding {
  struct interp *in;
  struct function *function;
  struct op *op;
};
typedef bool op_decoder(struct decoding *d);

struct opcode { /* handler and decoder */
  op_handler *run;
  op_decoder *decode;
};

struct function *function_get_or_create(struct interp *in, LLVMValueRef llvm);
struct code *code_at_address(const struct interp *in, uint64_t address); /* NULL: no code */
/* One per key, the address of the described object. NULL: out of memory. */
struct code *code_get_or_create(struct interp *in, const void *key, enum code_kind kind, struct function *function,
                                uint32_t at);
