/* What the files of the room share: values, layouts, decoded functions, activations, coroutines, memory.
   Needs: base, ir. Leaves: after the first interp_fail nothing more is executed. */
#ifndef CORO_INTERP_ROOM_H
#define CORO_INTERP_ROOM_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "interp/interp.h"
#include "ir/intrin.h"
#include "ir/number.h"
#include "llvm-c/Target.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/* ---- Values: a scalar is one cell, an aggregate or a vector as many as it has scalars ---- */

struct cell {
  u128 bits;   /* the bits that nobody has written are 0 */
  u128 undef;  /* which those are; a value computed from them has them too, as far as they matter */
  bool poison; /* then every bit is undefined */
};

enum leaf_kind { LEAF_INT, LEAF_FLOAT, LEAF_POINTER, LEAF_TOKEN };

struct leaf {
  uint64_t offset; /* in bytes; in bits where the layout is packed */
  unsigned char bits;
  unsigned char kind;
};

struct layout { /* of a type, in memory and as cells */
  LLVMTypeRef type;
  uint64_t size, store_size;
  uint32_t align, count;
  struct leaf *leaves;
  bool packed;      /* a vector whose elements do not begin at bytes */
  bool unsupported; /* no values of it */
  bool sized;       /* LLVM can tell its size */
};

static inline u128 cell_mask(unsigned bits)
{
  return bits >= 128 ? ~(u128)0 : ((u128)1 << bits) - 1;
}

static inline struct cell cell_of(u128 bits)
{
  return (struct cell){bits, 0, false};
}

static inline struct cell cell_undef(unsigned bits)
{
  return (struct cell){0, cell_mask(bits), false};
}

static inline struct cell cell_poison(unsigned bits)
{
  return (struct cell){0, cell_mask(bits), true};
}

static inline i128 cell_signed(u128 bits, unsigned width)
{
  unsigned unused = 128 - width;
  return (i128)(bits << unused) >> unused;
}

/* ---- Functions ---- */

struct interp;
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

enum code_kind { CODE_FUNCTION, CODE_RESUME, CODE_DESTROY, CODE_NOOP, CODE_BLOCK, CODE_CONTINUATION };

struct code { /* what an address that can be called or jumped to stands for; its own address is that address */
  enum code_kind kind;
  struct function *function;
  uint32_t at; /* the block, or the suspend that is continued */
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
  bool coroutine, decoded;
  enum intrin abi; /* the coro.id that it has, INTRIN_NONE for a plain function */
  LLVMValueRef id;
  bool suspends; /* has a suspend that can be reached */
  bool allocates; /* asks coro.alloc whether it needs memory */
  uint32_t final; /* the instruction of the final suspend, or IR_NONE */
  const struct layout *promise;
  uint32_t promise_inst, promise_align; /* IR_NONE: none */
  struct code code, resume, destroy;
};

/* ---- Running ---- */

struct block;

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

enum on_return { RETURN_VALUE, RETURN_NOTHING, RETURN_HANDLE, RETURN_HOST };

struct activation {
  struct activation *parent;
  struct function *function;
  struct coroutine *coroutine; /* NULL for a plain function */
  struct cell *cells;
  struct block *blocks;
  uint64_t saved_serial; /* of the last save that it made */
  uint32_t pc, block;
  enum part part;
  enum on_return on_return;
  bool suspended; /* has suspended its coroutine */
  bool as_ramp;   /* destroys on the ramp's way what an exception has ended */
  bool caught;    /* something was thrown into this activation */
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

struct chunk { /* which of 64 bytes are undefined */
  uint64_t key, undef, poison;
};

enum object_kind { OBJECT_OTHER, OBJECT_VARIABLE, OBJECT_GLOBAL, OBJECT_HEAP, OBJECT_SHARED };

struct origin { /* of an object, to name it by */
  unsigned char kind;
  unsigned char family; /* who may give it back: heap.c */
  LLVMValueRef value;   /* the alloca, the call, the variable; NULL */
  const char *giver;    /* the function that gave it, NULL where it is not to be given back */
};

struct memory {
  struct block *objects, *recent[64];
  uint64_t total; /* bytes of objects that live */
  struct chunk *chunks;
  size_t chunk_count, chunk_capacity;
  struct block *dead, *dead_last; /* kept for a while so that late uses are seen */
  size_t dead_size;
  uint64_t readable[256], writable[256]; /* pages known to be there */
};

struct interp {
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMTargetDataRef target, own_target;
  struct coro_arena *arena;
  struct intrin_table intrinsics;
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
  struct cell *scratch; /* of a jump */
  uint32_t scratch_count;
  uint32_t depth, entries;
  uint64_t value_bytes; /* of the cells of activations, and of what coroutines keep */
  uint64_t steps, limit, poll, serial;
  struct thrown thrown;
  struct exception *exceptions, *gone;
  struct cell *results; /* of the last call from the host */
  const struct layout *results_type;
  coro_value *values;
  coro_status status;
  coro_diags *diags;
};

/* Ends the execution with a diagnostic about the operation that is being executed. */
void interp_fail(struct interp *in, const struct op *op, coro_status status, const char *rule, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void interp_undefined(struct interp *in, const struct op *op, const char *rule, const char *message);
void interp_no_memory(struct interp *in);
void interp_unsupported(struct interp *in, struct activation *act, const struct op *op); /* a handler */

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

/* A scalar operand whose every bit is defined; else the execution ends, for `what` depends on it. */
u128 interp_known(struct interp *in, const struct activation *act, const struct op *op, uint32_t k, const char *what);

/* ---- layout.c ---- */
const struct layout *layout_of(struct interp *in, LLVMTypeRef type); /* NULL only when memory ran out */

/* ---- object.c, memory.c, heap.c, shadow.c ---- */
/* Undefined bytes; 0 where there is no room, and the execution has ended. */
uint64_t memory_new(struct interp *in, struct block **list, uint64_t size, uint64_t align, struct origin origin);
bool memory_drop(struct interp *in, const struct op *op, uint64_t address); /* one that is on a list */
void memory_release(struct interp *in, const struct op *op, struct block **list);
void memory_free(struct interp *in); /* everything */
/* The host's memory that the program may use. False: memory ran out, or the address is none. */
bool memory_share(struct interp *in, uint64_t start, uint64_t size, struct origin origin);
void memory_unshare(struct interp *in, uint64_t start);
bool memory_owns(struct interp *in, uint64_t address, uint64_t size); /* the program does, inside of one object */
bool memory_check(struct interp *in, const struct op *op, uint64_t address, uint64_t size, bool write);
int heap_ask(struct interp *in, const struct op *op,
             coro_external *call); /* the host, or the heap; as the host answers */
void memory_load(struct interp *in, const struct op *op, uint64_t address, const struct layout *type, struct cell *out);
void memory_store(struct interp *in, const struct op *op, uint64_t address, const struct layout *type,
                  const struct cell *cells);
void memory_copy(struct interp *in, const struct op *op, uint64_t to, uint64_t from, uint64_t size);
void memory_fill(struct interp *in, const struct op *op, uint64_t to, struct cell byte, uint64_t size);
void memory_forget(struct interp *in, uint64_t address, uint64_t size, bool poison); /* makes bytes undefined */
/* Which of up to 64 bytes are undefined, and which of these are poison. */
uint64_t memory_undefined(struct interp *in, uint64_t address, unsigned size, uint64_t *poison);
/* Cells as the bytes of their type, read as another type of the same size. */
void memory_cast(struct interp *in, const struct layout *from, const struct cell *cells, const struct layout *to,
                 struct cell *out);
bool shadow_mark(struct memory *memory, uint64_t address, uint64_t size, bool undef, bool poison);
uint64_t shadow_undef(const struct memory *memory, uint64_t address, unsigned size, uint64_t *poison); /* size <= 64 */

/* ---- constant.c, global.c ---- */
const struct cell *constant_cells(struct interp *in, LLVMValueRef constant); /* NULL: unsupported, or failed */
uint64_t global_address(struct interp *in, LLVMValueRef global);
bool globals_load(struct interp *in); /* gives the module's variables memory and content */

/* ---- decode.c ---- */
struct function *function_of(struct interp *in, LLVMValueRef llvm);
bool function_decode(struct interp *in, struct function *function);
struct code *code_at(const struct interp *in, uint64_t address);
/* One for each key, which is the address of what it stands for. NULL: memory ran out. */
struct code *code_for(struct interp *in, const void *key, enum code_kind kind, struct function *function, uint32_t at);
struct code *code_of_block(struct interp *in, struct function *function, LLVMBasicBlockRef block);

/* ---- Handlers by opcode: ops.def names them ---- */
#define OP(opcode, handler, decoder) op_handler handler;
#include "interp/ops.def"
op_handler run_constant_cast; /* of a constant expression: same as the instruction */

/* What `more` holds is made by these when a function is decoded; false: memory ran out. */
struct decoding {
  struct interp *in;
  struct function *function;
  struct op *op;
};
typedef bool op_decoder(struct decoding *d);
op_decoder decode_none, decode_flags, decode_compare, decode_gep, decode_indices, decode_shuffle, decode_access,
    decode_alloca, decode_branch, decode_call, decode_landing_pad;

/* ---- control.c, call.c ---- */
void control_jump(struct interp *in, struct activation *act, const struct op *op, uint32_t block);
void control_return(struct interp *in, const struct op *op, const struct layout *type, const struct cell *cells);
void control_pop(struct interp *in, const struct op *op); /* ends the innermost activation */
struct activation *control_push(struct interp *in, const struct op *op, struct function *function, enum part part);
/* A copy of as many cells as an activation of the function has; NULL: failed. */
struct cell *control_cells(struct interp *in, const struct function *function, const struct cell *from);
void control_free_cells(struct interp *in, const struct function *function, struct cell *cells); /* NULL is fine */
struct cell *control_scratch(struct interp *in, uint32_t count); /* until the next jump; NULL: memory ran out */
void control_run(struct interp *in, const struct activation *base);
/* Calls a function of the module: arguments are flat cells. NULL: failed. */
struct activation *call_function(struct interp *in, const struct op *op, struct function *function,
                                 const struct cell *args, const struct layout *const *types, uint32_t count);
/* Calls what is at an address with one pointer, a coroutine's slot say. */
void call_with_handle(struct interp *in, const struct op *op, uint64_t code, uint64_t handle, enum on_return then);
/* Asks the host. False: it failed, or threw, and the exception is on its way. */
bool call_ask(struct interp *in, const struct op *op, coro_external *external);
/* Calls what is at the address with operands from `first` on. `tail`: the activation ends before that. */
void call_operands(struct interp *in, struct activation *act, const struct op *op, uint64_t code, LLVMTypeRef type,
                   uint32_t first, uint32_t count, bool tail);
void call_finished(struct interp *in, struct activation *act, const struct op *op); /* an invoke goes on */
struct call { /* `more` of call and invoke */
  LLVMTypeRef type;
  LLVMValueRef callee; /* a function, or NULL where operand `arg_count` says */
  op_handler *special; /* intrinsic or function of the language's run time */
  uint32_t arg_count, normal, unwind, from; /* blocks */
  uint32_t token; /* the instruction that made the token of operand 0, or that uses the token made */
  bool tail; /* nothing happens between the suspend behind this and the coroutine's end */
  bool asks; /* behind this coro.end the program asks whether it is in the ramp */
};

/* ---- unwind.c ---- */
void unwind(struct interp *in, const struct op *op); /* the exception in in->thrown, out of the innermost activation */
void exceptions_free(struct interp *in);
op_handler run_typeid_for;
op_handler *runtime_named(const char *name, LLVMTypeRef type); /* __cxa_throw and its like; NULL */

/* ---- intrinsic.c, coroutine.c ---- */
op_handler *intrinsic_named(const char *name); /* NULL: not supported */
op_handler *coroutine_intrinsic(enum intrin intrin);
void coroutine_find(struct interp *in, struct function *function); /* what makes the function a coroutine */
/* Goes on at a suspend that returned, with flat arguments. NULL: failed. */
struct activation *continuation_enter(struct interp *in, const struct op *op, const struct code *code,
                                      const struct cell *args, uint32_t count);
struct coroutine *coroutine_at(const struct interp *in, uint64_t handle); /* NULL */
void coroutine_drop(struct interp *in, const struct op *op, struct coroutine *coroutine); /* one reference less */
bool coroutine_enter(struct interp *in, struct activation *act); /* as the ramp of a new coroutine */
void coroutine_decode(struct decoding *d, struct call *call);
void coroutine_leave(struct interp *in, const struct op *op, struct activation *act); /* the activation ends */
void coroutine_transfer(struct interp *in, struct activation *act, const struct op *op, uint64_t handle); /* goes on
                                                     with the coroutine that an awaiter named */
struct activation *coroutine_continue(struct interp *in, const struct op *op, const struct code *code, uint64_t handle);

#endif
