/* State of emission: the data used while one clone of a coroutine is created. Only emit/clone.c creates and destroys
   it. The presplit blocks are not modified.
   Requires: a frame layout. */
#ifndef CORO_EMIT_EMIT_H
#define CORO_EMIT_EMIT_H

#include "coro/lowering.h"

struct debug_base;
struct emit;

/* What an ABI supplies for the emission of a clone. */
struct emit_hooks {
  /* Fills `entry` of a clone at the builder's position: sets `frame`, and `home` if there is one. For a clone with
     several landings, also sets `head` and emits the dispatch. False: out of memory. */
  bool (*enter_clone)(struct emit *e);
  void (*enter_ramp)(struct emit *e); /* called before the ramp's instructions are copied; may be NULL */
  void (*end)(struct emit *e); /* called when the clone is complete; may be NULL */
  /* Lowers a call of a coroutine intrinsic at the builder's position: defines its result, and sets `ended` if the
     clone ends there. False: out of memory. */
  bool (*intrinsic)(struct emit *e, uint32_t inst, enum intrin intrin);
  /* Lowers a call with a meaning for the ABI; false: copy it. NULL: there are no such calls. */
  bool (*call)(struct emit *e, uint32_t inst);
  /* The result of `suspend` after its landing, in `node`; NULL if it has no other uses. */
  LLVMValueRef (*suspend_result)(struct emit *e, uint32_t suspend, uint32_t node);
  /* Fills the frame's header in the ramp. NULL: there is no header. */
  bool (*frame_ready)(struct emit *e);
  bool (*begun)(struct emit *e); /* called when the ramp has initialized the frame; may be NULL */
  /* called when a clone has been entered at the landing; may be NULL */
  bool (*landed)(struct emit *e, uint32_t suspend);
  void (*leave)(struct emit *e, LLVMBuilderRef builder); /* builds the return of a clone; NULL: ret void */
  bool many_blocks; /* lowering an instruction may create blocks */
  /* Allocates `bytes` (pointer-sized integer) for an llvm.coro.alloca.alloc that is live across a suspend;
     deallocate frees it. NULL: ABIs without an allocator use the heap. */
  LLVMValueRef (*allocate)(struct emit *e, LLVMValueRef bytes);
  void (*deallocate)(struct emit *e, LLVMValueRef block);
  void *data;
  /* The frame's location for debuggers, relative to a parameter. False, or NULL: an alloca of the clone holds the
     frame's address. */
  bool (*debug_base)(const struct emit *e, struct debug_base *base);
};

/* A phi that merges the copies of a value where it cannot be reloaded. */
struct emit_merge {
  LLVMValueRef phi;
  uint32_t value, node;
};

/* A cleanup pad in which an llvm.coro.end of the presplit function ends the coroutine. */
struct emit_end_pad {
  uint32_t end;
  LLVMBasicBlockRef block;
};

/* Arrays reused by successive emissions. All entries are NULL in between, so the cost of a clone depends on its own
   size only. */
struct emit_scratch {
  LLVMBasicBlockRef *blocks, *exits, *on_edge;
  LLVMValueRef *values, *slots, *anchors;
  LLVMValueRef release, drop; /* f.release and f.drop; NULL until first called */
};

struct emit {
  const struct coro_lowering *low;
  const struct emit_hooks *hooks;
  unsigned part; /* an enum coro_clone_kind */
  uint32_t landing; /* the clone's only landing; IR_NONE: all */
  LLVMValueRef function;
  LLVMBuilderRef builder; /* at the end of the block being copied */
  LLVMBuilderRef aside; /* for code at other positions */
  LLVMValueRef frame; /* the frame's address: a clone's parameter, or coro.begin in the ramp */
  LLVMValueRef home; /* in a clone: the counterpart of low->home in the ramp */
  LLVMBasicBlockRef entry; /* block of the clone's allocas */
  LLVMValueRef last_alloca; /* NULL before the first */
  LLVMValueRef head; /* field addresses are computed before this instruction */
  uint32_t *order, *nodes; /* nodes of the clone, in reverse postorder and in program order */
  uint32_t node_count;
  LLVMBasicBlockRef *blocks; /* indexed by node; NULL if unreachable in the clone */
  LLVMBasicBlockRef *exits; /* indexed by node: block of its terminator; NULL until requested */
  LLVMBasicBlockRef *on_edge; /* indexed by node that ends in an invoke: block on its normal edge, or NULL */
  LLVMValueRef *values; /* indexed by presplit value: its copy */
  LLVMValueRef *slots; /* indexed by field: its address */
  coro_insts slots_used; /* fields with an address */
  coro_insts variables; /* values of the allocas in `entry` */
  coro_insts placeholders; /* nodes whose anchor is a temporary instruction */
  LLVMValueRef *anchors; /* indexed by node: its first instruction after phis, if requested */
  /* (value, node; IR_NONE: the whole clone) -> its reload, rematerialization, or address */
  struct coro_map materialized;
  CORO_VEC(struct emit_merge) merges; /* phis of values that cannot be reloaded */
  struct coro_map origins; /* presplit phi or select -> number of the alloca that its address points into */
  coro_insts origin_phis; /* presplit phis with such a number */
  struct coro_map stack_marks; /* llvm.coro.alloca.alloc -> stack pointer before it */
  struct coro_map seen_phi; /* (phi, predecessor node) -> the entry exists */
  struct debug_clone *debug; /* NULL: no debug information */
  uint32_t pad; /* presplit value of the current pad, IR_NONE: none */
  LLVMBasicBlockRef over; /* see emit_return_block; NULL until used */
  LLVMValueRef begun; /* alloca of the ramp: the frame's address after llvm.coro.begin, null before; NULL until used */
  LLVMValueRef was_done; /* alloca: the coroutine to destroy was ended by an exception; NULL until used */
  CORO_VEC(struct emit_end_pad) ways_out;
  uint32_t lowering; /* the presplit instruction being lowered */
  bool ended; /* set by hooks->intrinsic */
};

static inline bool emit_in_place(const struct emit *e) /* the clone is the ramp, emitted into the presplit function */
{
  return e->function == e->low->fn.function;
}
static inline LLVMTypeRef emit_pointer(const struct emit *e) /* pointer type of frames */
{
  return LLVMPointerTypeInContext(e->low->context, 0);
}
static inline LLVMValueRef emit_home(const struct emit *e) /* counterpart of low->home */
{
  return e->part == CLONE_RAMP ? LLVMGetParam(e->function, e->low->home) : e->home;
}

#endif
