/* Emission: one part of a coroutine (the ramp, resume, destroy, cleanup, or the continuation of one suspend) as a copy
   of what can be reached in it.
   Values are looked up by where they are needed: in the epoch of their definition the copy itself is used; in a later
   epoch the frame is read, or the value is made again, once at the place of that epoch. The ramp never reads back.
   Needs: a coroutine that passed the check and has a frame layout. Leaves: new blocks in `function`; the source blocks
   are not touched. */
#ifndef CORO_EMIT_EMIT_H
#define CORO_EMIT_EMIT_H

#include "coro/lowering.h"

struct emit;

/* How DWARF gets from what a parameter was when its part was entered to the frame. */
struct emit_base {
  LLVMValueRef parameter;
  const char *operations; /* of an expression */
  uint64_t offset; /* of the frame from there */
};

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
  /* What `suspend` gives where control goes on behind it, in `node`; NULL where nobody can ask. */
  LLVMValueRef (*suspend_result)(struct emit *e, uint32_t suspend, uint32_t node);
  /* The ramp has the frame: fills its header at the builder's position. NULL: it has none. */
  bool (*frame_ready)(struct emit *e);
  /* Memory for llvm.coro.alloca.alloc that outlives a suspend: `bytes` of it, as wide as a pointer, at the builder's
     position; and its end. Of an ABI that has an allocator; the others' is on the heap. */
  LLVMValueRef (*allocate)(struct emit *e, LLVMValueRef bytes);
  void (*deallocate)(struct emit *e, LLVMValueRef block);
  void *data;
  /* Where a debugger finds the frame as long as the part runs, given a parameter of it. False: the part has to keep the
     frame's address. NULL: likewise for all parts. */
  bool (*debug_base)(const struct emit *e, struct emit_base *base);
};

/* A block that ends in a catchswitch holds phis and nothing else, so that a value needed there, for the phis of who is
   next in line for the exception, is merged from the blocks that lead to it. */
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
  LLVMBasicBlockRef *blocks, *on_edge;
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
  LLVMBasicBlockRef *on_edge; /* by node that ends in an invoke: a block put on its normal edge, or NULL */
  LLVMValueRef *values; /* by value: its copy */
  LLVMValueRef *slots; /* by field: its address */
  coro_insts slots_used; /* fields that have one */
  coro_insts variables; /* values of the allocas made in `entry` */
  coro_insts stand_ins; /* nodes whose anchor is an instruction that is taken out in the end */
  LLVMValueRef *anchors; /* by node: its first instruction behind phis, once asked for */
  struct coro_map made; /* (value, epoch) -> reload or value made again */
  CORO_VEC(struct emit_merge) merges; /* phis made for a value in a block that can hold nothing else */
  struct coro_map stack_marks; /* llvm.coro.alloca.alloc -> where the stack was before it */
  struct coro_map seen_phi; /* (phi, node) -> an entry was added for the edge from there */
  struct emit_debug *debug; /* NULL: no debug information */
  uint32_t pad; /* value of the pad that the builder is in, IR_NONE: in none */
  LLVMBasicBlockRef over; /* see emit_over; NULL as long as nothing branches there */
  LLVMValueRef was_done; /* variable: an exception had ended what is destroyed; NULL as long as nothing asks */
  CORO_VEC(struct emit_way_out) ways_out;
  bool ended; /* set by hooks->intrinsic */
};

/* Gives `function`, a declaration, the body of a clone: of one that is entered at `landing` alone, or (IR_NONE) at any
   landing of its part. False: memory ran out. */
bool emit_clone(struct coro_lowering *low, const struct emit_hooks *hooks, unsigned part, LLVMValueRef function,
                uint32_t landing);
/* Gives `function` the body of the ramp. The coroutine's own function gets it in place of what it had, and is no
   coroutine any more. False: memory ran out. */
bool emit_ramp(struct coro_lowering *low, const struct emit_hooks *hooks, LLVMValueRef function);

static inline bool emit_in_place(const struct emit *e) /* the copies stand in the source's own function */
{
  return e->function == e->low->fn.function;
}
/* Copies the instructions into the part's empty blocks. For a clone `frame` and `head` are there. */
bool emit_nodes(struct emit *e);

/* The copy of a value where control is in `node`. */
LLVMValueRef emit_lookup(struct emit *e, uint32_t value, uint32_t node);
/* The copy of operand `index` of `inst`, which may be a constant. */
LLVMValueRef emit_operand(struct emit *e, uint32_t inst, unsigned index);
LLVMValueRef emit_bundle_operand(struct emit *e, uint32_t call); /* the first operand of its first bundle */
LLVMValueRef emit_home(const struct emit *e); /* what low->home is in this part */
LLVMValueRef emit_slot(struct emit *e, uint32_t field);
/* The first address at or after `address` that is aligned to `want`, given that it is aligned to `have`. */
LLVMValueRef emit_align(struct emit *e, LLVMBuilderRef builder, LLVMValueRef address, uint64_t have, uint64_t want);
/* Moves `aside` to the first place in the node's block where a load or a store can stand. */
void emit_move_to_head(struct emit *e, uint32_t node);
void emit_drop_stand_ins(struct emit *e);
/* The address `offset` bytes into the frame, at the builder's position. */
LLVMValueRef emit_frame_offset(struct emit *e, uint64_t offset, const char *name);
/* The copy of `inst` as it stands, with the operands of this part. */
LLVMValueRef emit_copy(struct emit *e, uint32_t inst);
/* `copy` is what `inst` computes in this part; it is stored in the frame where it has a field there. */
void emit_define(struct emit *e, uint32_t inst, LLVMValueRef copy);
/* Goes on at the builder's position where invoke `inst` does, `from` being the block that takes its normal edge. */
void emit_join_normal(struct emit *e, uint32_t inst, LLVMBasicBlockRef from);
/* The block in which a clone is over; it returns, and nothing else. */
LLVMBasicBlockRef emit_over(struct emit *e);
/* Where this part goes from the end of `node` when the source goes to `block`. */
LLVMBasicBlockRef emit_successor(struct emit *e, uint32_t node, uint32_t block);
/* Where an exception goes on that leaves the pad of llvm.coro.end `end` in a part that does not go on behind it. */
LLVMBasicBlockRef emit_way_out(struct emit *e, uint32_t end);
LLVMValueRef emit_pad(struct emit *e, uint32_t end); /* the copy of the pad that `end` is in */
/* A call at the builder's position, which names the pad that it is in; of a function as edit_build_call's is, or of
   what is given a type here. */
LLVMValueRef emit_call(struct emit *e, LLVMValueRef function, LLVMValueRef *arguments, unsigned count);
LLVMValueRef emit_call_as(struct emit *e, LLVMTypeRef type, LLVMValueRef callee, LLVMValueRef *arguments,
                          unsigned count);
/* A call of `callee` in place of call or invoke `inst`, with its place in the source. An invoke goes on in `normal`,
   or where the source does if that is NULL. */
LLVMValueRef emit_call_instead(struct emit *e, uint32_t inst, LLVMTypeRef type, LLVMValueRef callee,
                               LLVMValueRef *arguments, unsigned count, LLVMBasicBlockRef normal);

#endif
