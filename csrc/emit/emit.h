/* Emission under way: what is known while one part of a coroutine is made. Only emit/part.c makes it and takes it away;
   the source blocks are not touched.
   Needs: a coroutine with a frame layout. Leaves: nothing made by itself. */
#ifndef CORO_EMIT_EMIT_H
#define CORO_EMIT_EMIT_H

#include "coro/lowering.h"

struct debug_base;
struct emit;

/* What differs between ABIs while a part is made. */
struct emit_hooks {
  /* Fills `entry` of a clone at the builder's position: sets `frame`, and `home` if there is one. A clone that is
     entered at all its landings sets `head` as well, and goes to the one that is due. False: memory ran out. */
  bool (*enter_clone)(struct emit *e);
  void (*enter_ramp)(struct emit *e); /* before anything of it is copied; NULL: nothing to do */
  void (*end)(struct emit *e); /* the part is complete; NULL: nothing to do */
  /* Lowers a call of a coroutine intrinsic at the builder's position: defines its result, and sets `ended`
     where control does not go on behind it in this part. False: memory ran out. */
  bool (*intrinsic)(struct emit *e, uint32_t inst, enum intrin intrin);
  /* Lowers a plain call that means something to the ABI; false: it means nothing. NULL: no call does. */
  bool (*call)(struct emit *e, uint32_t inst);
  /* What `suspend` gives where control goes on behind it, in `node`; NULL where nobody can ask. */
  LLVMValueRef (*suspend_result)(struct emit *e, uint32_t suspend, uint32_t node);
  /* The ramp has the frame: fills its header at the builder's position. NULL: it has none. */
  bool (*frame_ready)(struct emit *e);
  bool (*begun)(struct emit *e); /* the frame holds what it should when the ramp goes on; NULL: nothing to do */
  bool (*landed)(struct emit *e, uint32_t suspend); /* a clone is entered behind it; NULL: nothing to do */
  void (*leave)(struct emit *e, LLVMBuilderRef builder); /* a clone returns; NULL: with nothing */
  bool many_blocks; /* what these make of an instruction may take several blocks */
  /* Memory for llvm.coro.alloca.alloc that outlives a suspend: `bytes` of it, as wide as a pointer, at the builder's
     position; and its end. Of an ABI that has an allocator; the others' is on the heap. */
  LLVMValueRef (*allocate)(struct emit *e, LLVMValueRef bytes);
  void (*deallocate)(struct emit *e, LLVMValueRef block);
  void *data;
  /* Where a debugger finds the frame as long as the part runs, given a parameter of it. False: the part has to keep the
     frame's address. NULL: likewise for all parts. */
  bool (*debug_base)(const struct emit *e, struct debug_base *base);
};

/* A value that cannot be read back where it is needed is merged from the blocks that lead there. */
struct emit_merge {
  LLVMValueRef phi;
  uint32_t value, node;
};

/* A pad of its own in which an llvm.coro.end of the source ends the coroutine. */
struct emit_way_out {
  uint32_t end;
  LLVMBasicBlockRef block;
};

/* Arrays that one emission after another uses. In between all their entries are NULL, so that a part costs what is in
   it, however large the coroutine is. */
struct emit_scratch {
  LLVMBasicBlockRef *blocks, *exits, *on_edge;
  LLVMValueRef *values, *slots, *anchors;
  LLVMValueRef release, drop; /* f.release and f.drop; NULL before a part has called them */
};

struct emit {
  const struct coro_lowering *low;
  const struct emit_hooks *hooks;
  unsigned part; /* one of enum coro_part */
  uint32_t landing; /* where alone a clone is entered; IR_NONE: at any */
  LLVMValueRef function;
  LLVMBuilderRef builder; /* at the end of the block that is being copied */
  LLVMBuilderRef aside; /* moved about freely, for what has to stand somewhere else */
  LLVMValueRef frame; /* the frame's address: parameter of a clone, coro.begin in the ramp */
  LLVMValueRef home; /* of a clone: what low->home is in the ramp */
  LLVMBasicBlockRef entry; /* variables of this part are made here */
  LLVMValueRef last_alloca; /* the last of them, NULL before the first */
  LLVMValueRef head; /* addresses in the frame are computed before this instruction */
  uint32_t *order, *nodes; /* the nodes of this part: in reverse post-order, in program order */
  uint32_t node_count;
  LLVMBasicBlockRef *blocks; /* by node, NULL where the part does not reach it */
  LLVMBasicBlockRef *exits; /* by node: where its last instruction stands; NULL before somebody needs to know */
  LLVMBasicBlockRef *on_edge; /* by node that ends in an invoke: a block put on its normal edge, or NULL */
  LLVMValueRef *values; /* by value: its copy */
  LLVMValueRef *slots; /* by field: its address */
  coro_insts slots_used; /* fields that have one */
  coro_insts variables; /* values of the allocas made in `entry` */
  coro_insts stand_ins; /* nodes whose anchor is an instruction that is taken out in the end */
  LLVMValueRef *anchors; /* by node: its first instruction behind phis, once asked for */
  struct coro_map made; /* (value, place, IR_NONE for the whole part) -> reload, value made again, or its address */
  CORO_VEC(struct emit_merge) merges; /* phis made for a value that cannot be read back */
  struct coro_map stack_marks; /* llvm.coro.alloca.alloc -> where the stack was before it */
  struct coro_map seen_phi; /* (phi, node) -> an entry was added for the edge from there */
  struct debug_clone *debug; /* NULL: no debug information */
  uint32_t pad; /* value of the pad that the builder is in, IR_NONE: in none */
  LLVMBasicBlockRef over; /* see emit_over; NULL as long as nothing branches there */
  LLVMValueRef
      begun; /* variable of the ramp: the frame's address from llvm.coro.begin on; NULL as long as nothing asks */
  LLVMValueRef was_done; /* variable: an exception had ended what is destroyed; NULL as long as nothing asks */
  CORO_VEC(struct emit_way_out) ways_out;
  bool ended; /* set by hooks->intrinsic */
};

static inline bool emit_in_place(const struct emit *e) /* the copies stand in the source's own function */
{
  return e->function == e->low->fn.function;
}
static inline LLVMTypeRef emit_pointer(const struct emit *e) /* of a frame, and of what is in one */
{
  return LLVMPointerTypeInContext(e->low->context, 0);
}
static inline LLVMValueRef emit_home(const struct emit *e) /* what low->home is in this part */
{
  return e->part == PART_RAMP ? LLVMGetParam(e->function, e->low->home) : e->home;
}

#endif
