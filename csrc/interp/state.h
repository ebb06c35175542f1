/* What an interpreter holds: the module as it is executed, memory, activations, coroutines, exceptions.
   Needs: base, ir. Leaves: after the first interp_fail nothing more is executed. */
#ifndef CORO_INTERP_STATE_H
#define CORO_INTERP_STATE_H

#include "base/arena.h"
#include "base/map.h"
#include "interp/code.h"
#include "interp/object.h"
#include "llvm-c/Target.h"
#include "pycoro.h"

enum part { PART_PLAIN, PART_RAMP, PART_RESUME, PART_DESTROY };

struct coroutine { /* lives while it is suspended or an activation of it runs */
  struct function *function;
  uint32_t refs;
  uint64_t handle;
  bool kept;      /* one of the refs is that it has not ended */
  bool resumable; /* saved, and nobody has gone on with it since */
  bool thrown_out; /* an exception ended it, and the ramp's way behind its coro.end destroys what is left */
  bool untold;     /* an exception ended it, and nothing tells what is left */
  uint64_t serial; /* of the last save */
  uint32_t saved_at; /* the suspend */
  struct cell *saved;
  struct block *blocks; /* its variables */
  struct coroutine *next, **link; /* in the list of those that live */
};

/* Ends the innermost activation, and does what its caller wants done with what it gives: control.h has most. */
typedef void on_return(struct interp *in, const struct op *op, const struct layout *type, const struct cell *cells);

struct activation {
  struct activation *parent;
  struct function *function;
  struct coroutine *coroutine; /* NULL for a plain function */
  struct cell *cells;
  struct block *blocks;
  uint64_t saved_serial; /* of the last save that it made */
  uint32_t pc, block;
  enum part part;
  on_return *on_return;
  bool suspended; /* has suspended its coroutine */
  bool as_ramp;   /* destroys on the ramp's way what an exception has ended */
  bool caught;    /* something was thrown into this activation */
  uint32_t room;  /* how many cells there is memory for */
  struct cell own[]; /* the cells, where it has memory of its own */
};

struct thrown {
  uint64_t object, type; /* addresses; type 0: of another language */
  u128 selector;
};

struct exception { /* of C++, from when its memory is asked for */
  struct exception *next;
  struct block *blocks;
  uint64_t object, type, destroy;
  uint32_t caught;
  bool rethrown;
};

struct interp {
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMTargetDataRef target, own_target;
  struct coro_arena *arena;
  struct intrin_table intrinsics;
  const struct opcode *opcodes; /* by LLVM's opcode: what executes it */
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
  uint64_t noop; /* handle of the coroutine that does nothing */
  bool loaded;
  bool trusted; /* the program may use what memory the process has */
  uint32_t type_depth, constant_depth; /* of recursion over what the module holds */
  struct memory memory;
  struct coroutine *coroutines;
  struct activation *top;
  const struct activation *base; /* of the innermost call from the host */
  struct activation *spare; /* have ended: a list by parent */
  uint32_t spare_count;
  struct cell *scratch; /* of a jump */
  uint32_t scratch_count;
  uint32_t depth, entries;
  uint64_t value_bytes; /* of the cells of activations, and of what coroutines keep */
  uint64_t steps, limit, serial;
  uint64_t poll; /* of the steps, where the next question is whether to go on; at most the limit */
  struct thrown thrown;
  struct exception *exceptions, *gone;
  struct cell *results; /* of the last call from the host */
  const struct layout *results_type;
  coro_value *values;
  coro_status status;
  coro_diags *diags;
};

/* What takes time by the byte counts as steps, too. */
static inline void interp_charge(struct interp *in, uint64_t bytes)
{
  in->steps += bytes / 4096;
}

static inline const struct cell *operand(const struct activation *act, const struct op *op, uint32_t k)
{
  const struct operand *o = &op->operands[k];
  return o->constant ? o->constant : act->cells + o->slot;
}

static inline struct cell *result(const struct activation *act, const struct op *op)
{
  return act->cells + op->slot;
}

/* Where the variables of the function that runs are kept: a coroutine's outlive the activation. */
static inline struct block **variables(struct activation *act)
{
  return act->coroutine ? &act->coroutine->blocks : &act->blocks;
}

#endif
