/* The state of an interpreter: module, memory, activations, coroutines, exceptions.
   Requires: base, ir. Guarantees: after the first interp_stop_with_error no further operation is executed. */
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "interp/code.h"
#include "interp/memory_object.h"
#include "llvm-c/Target.h"
#include "pycoro.h"

enum function_role { ROLE_PLAIN, ROLE_RAMP, ROLE_RESUME, ROLE_DESTROY };

struct coroutine { /* lives while it is suspended or has an activation */
  struct function *function;
  uint32_t refs;
  uint64_t handle;
  bool alive; /* it has not ended; counts as one reference */
  bool resumable; /* saved and not resumed since */
  bool ended_in_unwind; /* ended by an exception; destroyed on the ramp's path after its coro.end */
  bool undestroyable; /* ended by an exception, without a suspend to destroy it from */
  uint64_t serial; /* number of the last save */
  uint32_t saved_at; /* the suspend */
  struct cell *saved;
  struct block *blocks; /* its allocas */
  struct coroutine *next, **link; /* list of all coroutines */
};

/* Handler of the end of an activation: removes it and stores its result for the caller. control.h declares most
   handlers. */
typedef void on_return(struct interp *in, const struct op *op, const struct layout *type, const struct cell *cells);

struct activation {
  struct activation *parent;
  struct function *function;
  struct coroutine *coroutine; /* NULL for a plain function */
  struct cell *cells;
  struct block *blocks;
  uint64_t saved_serial; /* number of the activation's last save */
  uint32_t pc, block;
  enum function_role role;
  on_return *on_return;
  bool suspended; /* has suspended its coroutine */
  bool as_ramp; /* destroys an ended coroutine on the ramp's path */
  bool caught; /* an exception was caught in this activation */
  uint32_t room; /* capacity in cells */
  struct cell own[]; /* the cells */
};

struct thrown {
  uint64_t object, type; /* addresses; type 0: foreign exception */
  u128 selector;
};

struct exception { /* C++ exception, from its allocation on */
  struct exception *next;
  struct block *blocks;
  uint64_t object, type, destroy;
  uint32_t caught;
  bool rethrown;
};

struct interp {
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMTargetDataRef target, owned_target;
  struct coro_arena *arena;
  struct intrin_table intrinsics;
  const struct opcode *opcodes; /* by LLVM's opcode */
  coro_interp_options options;
  struct coro_map layouts;   /* LLVMTypeRef -> struct layout */
  struct coro_map functions; /* LLVMValueRef -> struct function */
  struct coro_map codes;     /* address -> struct code */
  struct coro_map globals;   /* LLVMValueRef -> address */
  struct coro_map handles;   /* address -> struct coroutine, or 0 */
  struct coro_map constants; /* LLVMValueRef -> cells */
  struct coro_map typeids;
  uint64_t typeid_count;
  struct block *statics;
  uint64_t noop; /* handle of the no-op coroutine */
  bool loaded;
  bool trusted; /* the program may access all mapped memory */
  uint32_t type_depth, constant_depth; /* current recursion depths */
  struct memory memory;
  struct coroutine *coroutines;
  struct activation *top;
  const struct activation *base; /* top activation at the innermost host call */
  struct activation *spare; /* free list, linked by parent */
  uint32_t spare_count;
  struct cell *scratch; /* temporary cells for the parallel assignment of phis */
  uint32_t scratch_count;
  uint32_t depth, entries;
  uint64_t value_bytes; /* cells of activations and suspended coroutines */
  uint64_t steps, limit, serial;
  uint64_t poll; /* step count at the next poll, at most the limit */
  struct thrown thrown;
  struct exception *exceptions, *gone;
  struct cell *results; /* results of the last call from the host */
  const struct layout *results_type;
  coro_value *values;
  coro_status status;
  coro_diags *diags;
};

/* Charges steps for operations whose cost depends on a size. */
static inline void interp_charge(struct interp *in, uint64_t bytes)
{
  in->steps += bytes / 4096;
}

static inline const struct cell *operand_cells(const struct activation *act, const struct op *op, uint32_t k)
{
  const struct operand *o = &op->operands[k];
  return o->constant ? o->constant : act->cells + o->slot;
}

static inline struct cell *result_cells(const struct activation *act, const struct op *op)
{
  return act->cells + op->slot;
}

/* Defines the handler `name`: it calls `work` with its own parameters and further arguments, which may use these. */
#define HANDLER(name, work, ...)                                                                                       \
  void name(struct interp *in, struct activation *act, const struct op *op)                                            \
  {                                                                                                                    \
    work(in, act, op, __VA_ARGS__);                                                                                    \
  }

/* Makes a number the result. */
static inline void store_integer(struct interp *in, const struct activation *act, const struct op *op, u128 value)
{
  (void)in;
  *result_cells(act, op) = cell_of(value);
}

/* Computes each scalar of the result from that of the first operand; `from` and `to` are their widths in bits. */
static inline void compute_each_scalar(struct interp *in, const struct activation *act, const struct op *op,
                                       struct cell (*work)(const struct op *op, const struct cell *a, unsigned from,
                                                           unsigned to))
{
  (void)in;
  const struct cell *a = operand_cells(act, op, 0);
  struct cell *out = result_cells(act, op);
  for (uint32_t i = 0; i < op->type->count; i++)
    out[i] = work(op, &a[i], op->operands[0].type->leaves[i].bits, op->type->leaves[i].bits);
}

/* The list of the running function's allocas: a coroutine's outlive the activation. */
static inline struct block **allocas_of_activation(struct activation *act)
{
  return act->coroutine ? &act->coroutine->blocks : &act->blocks;
}
