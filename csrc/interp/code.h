/* What is executed: functions as arrays of operations, and what the addresses of code stand for.
   Needs: ir_number. Leaves: one struct function for each function, one struct code for each address. */
#ifndef CORO_INTERP_CODE_H
#define CORO_INTERP_CODE_H

#include "interp/cell.h"
#include "interp/layout.h"
#include "ir/intrin.h"
#include "ir/number.h"

struct activation;
struct op;
typedef void op_handler(struct interp *in, struct activation *act, const struct op *op);

struct operand {
  const struct cell *constant; /* NULL: in the activation's cells */
  const struct layout *type;   /* NULL for blocks, metadata and the like */
  uint32_t slot;
};

struct op {
  op_handler *run;
  const struct layout *type; /* of the result; NULL where there is none */
  struct operand *operands;
  const void *more; /* what the opcode needs beyond that */
  LLVMValueRef inst;
  uint32_t slot, count;
  uint32_t detail; /* predicate, intrinsic, alignment: by opcode */
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
  LLVMValueRef callee; /* a function, or NULL where operand `arg_count` says */
  const struct code *code; /* the callee's */
  op_handler *special; /* intrinsic or function of the language's run time */
  uint32_t arg_count, normal, unwind; /* the last two: blocks */
  uint32_t token; /* the instruction that made the token of operand 0, or that uses the token made */
  bool tail; /* nothing happens between the suspend behind this and the coroutine's end */
  bool asks; /* behind this coro.end the program asks whether it is in the ramp */
};

enum code_kind { CODE_FUNCTION, CODE_RESUME, CODE_DESTROY, CODE_NOOP, CODE_BLOCK, CODE_CONTINUATION };

struct code { /* what an address that can be called or jumped to stands for; its own address is that address */
  enum code_kind kind;
  struct function *function;
  const void *key; /* of a block, the LLVMBasicBlockRef */
  uint32_t at;     /* the suspend that is continued */
};

struct function {
  LLVMValueRef llvm;
  const char *name;
  struct ir_fn fn;
  struct op *ops; /* by instruction; NULL: not decoded yet, or a declaration */
  uint32_t *slots; /* by value */
  const struct layout **types; /* of the arguments */
  const struct layout **byval; /* by argument: what is copied, or NULL */
  uint32_t *byval_align;
  uint32_t cell_count;
  struct cell *initial; /* what the cells of an activation begin as: poison */
  bool declared, variadic; /* declared: not defined here */
  bool coroutine, decoded;
  enum intrin abi; /* the coro.id that it has, INTRIN_NONE for a plain function */
  LLVMValueRef id;
  bool suspends; /* has a suspend that can be reached */
  bool allocates; /* asks coro.alloc whether it needs memory */
  uint32_t final; /* the instruction of the final suspend, or IR_NONE */
  const struct layout *promise;
  uint32_t promise_inst, promise_align; /* IR_NONE: none */
  const char **names; /* of its values, once somebody has asked for them */
  struct code code, resume, destroy;
};

/* What `more` holds is made by these when a function is decoded; false: memory ran out. */
struct decoding {
  struct interp *in;
  struct function *function;
  struct op *op;
};
typedef bool op_decoder(struct decoding *d);

struct opcode { /* what executes it */
  op_handler *run;
  op_decoder *decode;
};

struct function *function_of(struct interp *in, LLVMValueRef llvm);
struct code *code_at(const struct interp *in, uint64_t address); /* NULL */
/* One for each key, which is the address of what it stands for. NULL: memory ran out. */
struct code *code_for(struct interp *in, const void *key, enum code_kind kind, struct function *function, uint32_t at);

#endif
