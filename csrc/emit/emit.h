/* State of emission: the data used while one function of a coroutine is created, the ramp or a clone (see
   lowering/lowering.h). Comments in this directory call it the function. Only emit/clone.c creates and destroys the
   state. The presplit blocks are only read, except that instructions may move out of them (emit/copy.c), until a ramp
   that is emitted in place takes their names and replaces them.
   Requires: a frame layout. */
#pragma once

#include "lowering/lowering.h"

struct debug_base;
struct emit;

/* What an ABI supplies for the emission of a function. */
struct emit_hooks {
  /* Fills `entry` of a clone at the builder's position: sets `frame`, and `frame_argument` if there is one. If all
     landings of its kind are entered, also emits the dispatch to them and sets `field_address_position`. False: out of
      memory. */
  bool (*enter_clone)(struct emit *e);
  void (*enter_ramp)(struct emit *e); /* called before the ramp's instructions are copied; may be NULL */
  void (*end)(struct emit *e); /* called when the function is complete; may be NULL */
  /* Lowers a call of a coroutine intrinsic at the builder's position: defines its result, and sets `returned` if the
     function returns there. False: out of memory. */
  bool (*intrinsic)(struct emit *e, uint32_t inst, enum intrin intrin);
  /* Lowers a call with a meaning for the ABI; false: copy it. NULL: there are no such calls. */
  bool (*call)(struct emit *e, uint32_t inst);
  /* The result of `suspend` at the start of `node`, the fragment after it, or its landing if the ABI continues after a
     suspend; NULL: it has none. */
  LLVMValueRef (*suspend_result)(struct emit *e, uint32_t suspend, uint32_t node);
  /* Called in the ramp after llvm.coro.begin, before spills: fills the frame's header. NULL: there is no header. */
  bool (*frame_ready)(struct emit *e);
  bool (*after_begin)(struct emit *e); /* called in the ramp after the spills at llvm.coro.begin; may be NULL */
  /* called when a clone has been entered at the landing; may be NULL */
  bool (*after_landing)(struct emit *e, uint32_t suspend);
  void (*build_return)(struct emit *e, LLVMBuilderRef builder); /* builds the return of a clone; NULL: ret void */
  bool many_blocks; /* lowering an instruction may create blocks */
  /* Allocates `bytes` (pointer-sized integer) for the llvm.coro.alloca.alloc `alloc`, which is live across a suspend;
     deallocate frees its memory. NULL: ABIs without an allocator use the heap. */
  LLVMValueRef (*allocate)(struct emit *e, uint32_t alloc, LLVMValueRef bytes);
  void (*deallocate)(struct emit *e, uint32_t alloc, LLVMValueRef block);
  void *data;
  /* The frame's location for debuggers, relative to a parameter. False, or NULL: an alloca of the function holds the
     frame's address. */
  bool (*debug_base)(const struct emit *e, struct debug_base *base);
};

/* A phi without a presplit counterpart, which merges `value` at the head of `node` where it cannot be reloaded. In the
   ramp, also one that merges the addresses of an alloca on the stack and in the frame or, with IR_NONE for `value`, the
   addresses of two lists of heap blocks. */
struct emit_merge {
  LLVMValueRef phi;
  uint32_t value, node;
};

/* A pad that a clone adds for llvm.coro.end `end`; see emit_end_pad. */
struct emit_end_pad {
  uint32_t end;
  LLVMBasicBlockRef block;
};

/* Arrays reused by successive emissions. All entries are NULL in between, so the cost of a function depends on its
   own size only. */
struct emit_scratch {
  LLVMBasicBlockRef *blocks, *exits, *normal_edge_blocks;
  LLVMValueRef *values, *slots, *anchors;
  struct worklist *spill_walks; /* see deferred_spill.c; NULL until used */
  struct graph users; /* the same: presplit values, with edges to the instructions that use them */
  unsigned char *deferrals; /* the same: by presplit value */
  LLVMValueRef release, drop; /* f.release and f.drop; NULL until first called */
  /* allocation functions of the dynamic ABI, declared on first use: f.allocate and f.deallocate, twice */
  LLVMValueRef allocators[4];
};

struct emit {
  const struct coro_lowering *low;
  const struct emit_hooks *hooks;
  unsigned clone_kind; /* CLONE_RAMP, or the clone's kind */
  uint32_t landing; /* the clone's only landing; IR_NONE: all of its kind */
  LLVMValueRef function;
  LLVMBuilderRef builder; /* at the end of the block being copied */
  LLVMBuilderRef aside_builder; /* builder for code at positions other than that of `builder` */
  LLVMValueRef frame; /* the frame's address: a clone's parameter, or coro.begin in the ramp */
  LLVMValueRef frame_argument; /* in a clone: the counterpart of low->frame_argument in the ramp */
  LLVMBasicBlockRef entry; /* block of the function's allocas */
  LLVMValueRef last_alloca; /* NULL before the first */
  /* field addresses are computed before it: the terminator of a clone's entry, or of the block of llvm.coro.begin */
  LLVMValueRef field_address_position;
  uint32_t *order, *nodes; /* nodes of the function, in reverse postorder and in program order */
  uint32_t node_count;
  LLVMBasicBlockRef *blocks; /* indexed by node; NULL if unreachable in the function */
  LLVMBasicBlockRef *exits; /* indexed by node: block of its terminator; NULL until requested */
  LLVMBasicBlockRef *normal_edge_blocks; /* indexed by node that ends in an invoke: block on its normal edge, or NULL */
  LLVMValueRef *values; /* indexed by presplit value: its copy */
  LLVMValueRef *slots; /* indexed by field: its address */
  coro_insts slots_used; /* fields with an address */
  coro_insts local_allocas; /* values of the allocas in `entry` */
  coro_insts placeholders; /* nodes whose entry in `anchors` is a temporary instruction, which is erased at the end */
  LLVMValueRef *anchors; /* indexed by node: its first instruction after phis and pad, if requested */
  /* (value, node; IR_NONE: the whole function) -> its reload, rematerialization, or address */
  struct coro_map materialized;
  CORO_VEC(struct emit_merge) merges;
  coro_insts deferred_spills; /* values, see deferred_spill.h */
  struct coro_map origins; /* presplit phi or select -> number of the alloca that its address points into */
  coro_insts origin_phis; /* presplit phis with such a number */
  struct coro_map stack_marks; /* llvm.coro.alloca.alloc -> stack pointer before it */
  struct coro_map filled_phi_entries; /* (phi, predecessor node) -> the entry exists */
  struct debug_clone *debug; /* NULL: no debug information */
  uint32_t pad; /* presplit value of the current pad, IR_NONE: none */
  /* alloca of the ramp: the frame's address after llvm.coro.begin, null before; NULL until used */
  LLVMValueRef frame_or_null;
  /* address of an alloca of the ramp: the list of heap blocks before llvm.coro.begin; NULL until used */
  LLVMValueRef empty_heap_list;
  LLVMValueRef early_heap_list; /* the same: the list of blocks that are allocated before llvm.coro.begin */
  CORO_VEC(struct emit_end_pad) end_pads;
  uint32_t current_inst; /* the presplit instruction being lowered */
  bool returned; /* set by hooks->intrinsic */
};

static inline bool emit_in_place(const struct emit *e) /* it is the ramp, emitted into the presplit function */
{
  return e->function == e->low->fn.function;
}
static inline LLVMBasicBlockRef emit_append_block(const struct emit *e, const char *name)
{
  return LLVMAppendBasicBlockInContext(e->low->context, e->function, name);
}

static inline LLVMTypeRef emit_pointer(const struct emit *e) /* pointer type of frames */
{
  return LLVMPointerTypeInContext(e->low->context, 0);
}
static inline LLVMValueRef emit_frame_argument(const struct emit *e) /* counterpart of low->frame_argument */
{
  return e->clone_kind == CLONE_RAMP ? LLVMGetParam(e->function, e->low->frame_argument) : e->frame_argument;
}
