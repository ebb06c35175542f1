/* All data of one check: the clones with dense ids (*numbered*), the position in the presplit function for each of
   their program points, the claims, and the answer.
   Requires: a witness. */
#pragma once

#include "check/check.h"
#include "graph/graph.h"

/* Where control is in the presplit function. */
enum check_where {
  WHERE_UNKNOWN,  /* not yet reached */
  WHERE_DISPATCH, /* before the landing: no presplit code has been executed */
  WHERE_INST,     /* before presplit instruction `inst` */
  WHERE_BRANCH,   /* at the end of a block that ends in a copy of terminator `inst`: on all its edges */
  WHERE_EDGE, /* control is on the edge from presplit block `from` (IR_NONE: one of several blocks) to block `to` */
  WHERE_ENDED, /* nothing remains to be executed */
  WHERE_LEFT /* the clone has been left */
};

struct check_state {
  uint8_t where; /* an enum check_where */
  int8_t result;
  uint32_t inst, from, to;
  uint32_t suspend; /* the result of this suspend is `result` (-1, 0 or 1); IR_NONE: none */
  uint32_t transfer; /* the coroutine of this await must be resumed next; IR_NONE: none */
  uint32_t freed; /* the end for which the frame was freed; IR_NONE: none */
  uint32_t released; /* the same for the list of heap blocks, or the llvm.coro.free; see heap_list.h */
  uint32_t body; /* the inlined body (index in check.bodies) that is being executed; IR_NONE: none */
  /* position in that body: number of the callee's next instruction, or of the terminator that was executed */
  uint32_t body_inst;
  bool branches; /* `body_inst` is the terminator that was executed */
  bool projected; /* the projection of an async clone's context has been executed */
  uint16_t hooks; /* set of 1 << enum hook: executed for the next presplit instruction */
  uint16_t due; /* set of hooks that must be executed before anything else */
  uint16_t chosen; /* set of hooks about which a branch has decided whether they are executed */
  uint8_t branch_hook; /* the terminator decides about this hook: its number plus 1; 0: none */
  uint32_t result_body; /* the last body of abi.suspend or abi.end */
  bool skips_first; /* that branch skips the hook on its first edge, and executes it on the second */
};

/* No suspend, await or free is pending. */
static inline struct check_state check_state_at(enum check_where where)
{
  return (struct check_state){.where = (uint8_t)where,
                              .from = IR_NONE,
                              .suspend = IR_NONE,
                              .transfer = IR_NONE,
                              .freed = IR_NONE,
                              .released = IR_NONE,
                              .body = IR_NONE};
}
static inline struct check_state check_state_on_edge(uint32_t from, uint32_t to)
{
  struct check_state state = check_state_at(WHERE_EDGE);
  state.from = from;
  state.to = to;
  return state;
}

/* Whether control has suspended, and the frame may be freed; `at` names the suspend (IR_NONE: several, or a free). */
enum check_suspended { SUSPENDED_NO, SUSPENDED_YES, SUSPENDED_MAYBE, SUSPENDED_SAME, SUSPENDED_UNSET };
struct check_suspended_at {
  uint8_t is; /* an enum check_suspended */
  uint32_t at;
};

/* What the frame's header holds, and whether the frame may be freed; a lattice per variable. */
enum { HEADER_SAME = -1, HEADER_UNKNOWN = -2, HEADER_UNSET = -3 };
struct check_header {
  int32_t index; /* the stored suspend index, or one of the above */
  int32_t clone; /* the suspend whose clone is stored as the resume pointer, or as above */
  int8_t resume; /* 0: null, 1: the resume function, or one of the above */
  int8_t destroy; /* 1: the destroy or cleanup function; or one of the values above */
  struct check_suspended_at suspended;
};

/* The header with `every` in all members. */
static inline struct check_header check_header_of(int8_t every, enum check_suspended suspended)
{
  return (struct check_header){every, every, every, every, {(uint8_t)suspended, IR_NONE}};
}

/* A place where a presplit instruction is executed in a clone: its copy, or, if the clone has no code for it,
   between two instructions of the clone. Several blocks of a clone may be copies of one presplit block, so that
   there are several. */
struct check_event {
  uint32_t inst, block;
  uint32_t at; /* 2 * position + 1 for the instruction at that position; 2 * position for the place before */
  uint32_t next; /* another event of the same presplit instruction; IR_NONE: none */
  uint32_t next_in_block; /* another event of the instruction in the same block; IR_NONE: none */
};

/* A store into the frame. */
struct check_store {
  uint32_t inst; /* in the clone */
  uint64_t offset, size; /* bytes of the frame */
  uint32_t cell; /* one of the cells that it covers, see frame_access.h */
  uint32_t next; /* the earlier store to the same cell in the same block; IR_NONE: none */
};

/* Bytes of the frame that an instruction accesses. */
struct check_frame_bytes {
  uint64_t offset, size;
};

/* An access of the ABI to the frame; `suspended` is relative to the start of the block. */
struct check_access {
  uint32_t inst;
  struct check_suspended_at suspended;
};

/* A call that changes the list of heap blocks. */
struct check_list_call {
  uint32_t inst; /* in the clone */
  uint32_t frees_all_at; /* the presplit instruction before which it frees all blocks; IR_NONE: it does not */
  uint32_t phi; /* of the ramp: it chooses the list; IR_NONE: none */
  bool early; /* it is the list of blocks that the ramp has allocated before llvm.coro.begin */
};

/* A lifetime marker, or an alloca outside of the entry block, that the clone does not have. */
struct check_marker {
  uint32_t inst; /* in the presplit function */
  uint32_t next; /* the next marker at the same place; IR_NONE: none */
};

/* A field of the frame. */
struct check_range {
  uint64_t offset, end;
  bool header; /* the resume or destroy pointer, or the suspend index */
};

/* What an argument of a function that the ABI calls must be. */
enum check_argument_kind {
  ARGUMENT_OPERAND, /* operand `operand` of presplit instruction `inst`, cast to the parameter's type */
  ARGUMENT_VALUE, /* this value */
  ARGUMENT_FRAME, /* the address `offset` bytes into the frame */
  ARGUMENT_TEXT /* the address of a constant with this text, NUL-terminated */
};
struct check_argument {
  enum check_argument_kind kind;
  LLVMValueRef value;
  uint32_t inst, operand;
  uint64_t offset;
  const char *text;
};

/* The body of a function that the ABI calls, inlined into a clone. */
struct check_body {
  const struct witness_body *from;
  const struct ir_fn *fn; /* the callee */
  uint32_t *copies; /* indexed by the callee's instructions: the clone's copy, or IR_NONE */
  /* indexed by the callee's blocks: the clone's block in which the body returned from there, or IR_NONE */
  uint32_t *returned;
  const struct check_argument *arguments; /* by parameter */
  /* the first instruction of the body in the clone, after allocas; IR_NONE: the clone does not enter it */
  uint32_t first;
};

/* An address that a phi chooses before llvm.coro.begin, and that the ramp computes after it; see chosen_address.h. */
struct check_chosen {
  uint32_t value;      /* the presplit phi */
  coro_insts memories; /* presplit values of the memory to which it may point, and which moves into the frame */
  coro_insts others;   /* presplit values that are indices of the getelementptrs on the way */
};

struct check_clone {
  const struct witness_clone *from;
  uint32_t number; /* index in check.clones */
  bool begins; /* the frame's address is the result of the clone's copy of llvm.coro.begin */
  uint32_t first_body; /* index in check.bodies of the clone's first body; a clone's bodies are consecutive */
  struct ir_fn fn;
  struct graph graph;
  struct graph_rpo rpo;
  struct graph_dom *dom; /* computed when it is first used: check_dominates */
  struct witness_entry *entries; /* by instruction */
  uint32_t *address_of; /* by instruction: the alloca (value + 1) whose address it is proved to be; 0: none is known */
  uint32_t *node; /* by block: the node that the witness names, or IR_NONE */
  struct check_state *in, *out; /* by block */
  struct coro_bits infeasible_edges; /* by index in fn.successors, see feasible_edge.h; no words until found */
  uint32_t *pads; /* by block, see funclet.c; NULL until used */
  uint32_t *phi_marks; /* by instruction, see phi_choice.c; NULL until used */
  /* A clone's values for hooks: the ramp's llvm.coro.alloc, the alloca that marks whether the clone has suspended,
     the memory to free. */
  LLVMValueRef alloc_result, mark, memory;
  uint32_t alloc_body; /* the inlined body of abi.alloc; IR_NONE: none */
  LLVMValueRef result; /* the alloca of what the clone returns; NULL: none is known */
  uint32_t dispatch_body; /* the body of abi.dispatch; IR_NONE: none */
  uint32_t begun; /* in the ramp: the block that starts right after llvm.coro.begin; IR_NONE: none does */
  uint32_t header_stores; /* number of stores that write the initial content of a custom ABI's header */
  uint32_t *landing; /* by block: the landing that starts here, or IR_NONE */
  struct check_header *header_in, *header_out; /* by block; `out` relative to `in` by HEADER_SAME */
  CORO_VEC(struct check_event) events;
  /* By presplit instruction: its last copy that the witness names; for an alloca, an address that was proved to be its
     wherever it is available; or NULL. NULL: no array. */
  LLVMValueRef *carrier_array;
  uint32_t *event_array; /* by presplit instruction: the number + 1 of its last event; NULL: `event_of` has them */
  struct coro_map event_of;
  coro_insts single_events; /* presplit instructions of which check_find_only_event_to_recheck was true */
  struct coro_map events_in; /* (presplit instruction, block) -> number + 1 of an event, if there are several events */
  struct coro_map constants; /* constant -> number */
  struct coro_map visited; /* (fact, block) */
  struct coro_map suspends_in; /* block + 1 -> number + 1 of an exit, a suspend to which control may have suspended */
  struct coro_map stores; /* (cell, block) -> last store in `frame_stores` + 1 */
  CORO_VEC(struct check_list_call) list_calls; /* see heap_state.h */
  struct coro_map list_accesses; /* instruction + 1 of a load or store that initializes a list or inserts a block */
  struct coro_bits after_release; /* blocks that are reachable from a call that frees all blocks of the list */
  uint32_t list_start; /* of the ramp: the store that initializes the list; IR_NONE: none */
  LLVMValueRef early_list; /* of the ramp: the alloca of the list of early blocks, see early_heap_list.h; or NULL */
  CORO_VEC(struct check_chosen) chosen; /* of the ramp */
  struct coro_map chosen_steps; /* instruction + 1 of the computation of such an address -> index in `chosen` + 1 */
  struct coro_map copied_in; /* instruction of the ramp + 1 -> presplit value + 1 that it copies into the frame */
  CORO_VEC(struct check_store) frame_stores;
  CORO_VEC(struct check_frame_bytes) frame_bytes;
  uint32_t *
      frame_bytes_of; /* by instruction: what it accesses, as index in `frame_bytes` + 1; see frame_access_find_bytes */
  CORO_VEC(struct check_access) accesses;
  struct coro_map copies; /* presplit instruction + 1 -> its last copy; only if allocas share bytes */
  uint32_t *earlier_copy; /* by instruction: an earlier copy of the same presplit instruction; IR_NONE: none */
  uint32_t *skipped, *skipped_last; /* by instruction: first, last skipped marker before it, + 1; NULL: none is */
  CORO_VEC(struct check_marker) markers;
  LLVMValueRef *error_cells; /* by swifterror value: its cell, or NULL; see swifterror.h */
  /* In the ramp: the blocks that llvm.coro.begin reaches, and those that reach it, see begin.h. */
  struct coro_bits after_begin, before_begin;
  LLVMValueRef context; /* in an async clone: the value that corresponds to the ramp's context; NULL: unknown */
  CORO_VEC(struct check_exit) saves; /* where an llvm.coro.save is: the state must be stored before */
  uint32_t first_exit; /* index in check.exits of the clone's first exit; a clone's exits are consecutive */
};

/* A place in a clone where the coroutine suspends, or is ended by an exception. */
struct check_exit {
  uint32_t clone, block, at; /* as in check_event: the place before an instruction */
  uint32_t landing; /* number of the landing where the coroutine continues; IR_NONE: it is only done */
  uint32_t next; /* another exit to the same landing; IR_NONE: none */
  uint32_t inst; /* the presplit suspend or end */
  uint32_t markers; /* number of lifetime markers that the clone has skipped before */
  bool untaken; /* the clone has suspended or freed the frame on all paths to it */
  struct check_header header; /* at that place, relative to the start of the block */
};

/* A part of a block in which bytes of the frame must hold a value, while an alloca that shares them escapes. */
struct check_span {
  uint32_t clone, block, from, to; /* places as in check_event */
  uint32_t value;
  uint64_t offset, size;
};

/* A fact: a carrier (a value of the clone, or bytes of the frame) holds the current value of presplit value `value`.
   A claim states a fact at a place. */
struct check_fact {
  LLVMValueRef carrier; /* NULL: the bytes of `slot` */
  uint32_t slot, value;
};

struct check_slot {
  uint64_t offset, size;
  LLVMTypeRef type;
};

struct check_claim {
  uint32_t clone, block, at; /* as in check_event */
  struct check_fact fact;
  uint32_t parent; /* the claim that needs it, for the path of a counterexample; IR_NONE: none */
  LLVMValueRef user; /* the instruction of a clone for which the first claim of the path was made */
};

/* Where the memory of an alloca, or of a byval-like argument, is. */
enum check_place {
  PLACE_IN_FRAME = 1,
  PLACE_ON_STACK = 2,
  PLACE_SHARED_BY_ALL = 8, /* one alloca of a clone for all executions of the presplit alloca */
  PLACE_ON_HEAP = 16, /* a separate block for each execution, see heap_list.h */
  PLACE_BEFORE_BEGIN = 4 /* on the stack of the ramp, at a point before llvm.coro.begin */
};

/* The memory of an alloca, or of a byval-like argument, of which clones use the address. */
struct check_memory {
  uint32_t value; /* presplit value */
  unsigned places; /* set of enum check_place, over all clones */
  bool copied; /* the ramp copies its content into the frame */
  bool fits; /* its field of the frame is large and aligned enough */
};

enum { CHECK_ATTRIBUTES = 19 };

struct check {
  struct coro_lowering *low;
  struct check_witness *witness;
  struct coro_arena *arena;
  struct check_clone **clones;
  uint32_t clone_count;
  const struct witness_clone *equal_clone; /* of the witness, but not in `clones`: see equal_clone.h; NULL: none */
  unsigned attribute_kinds[CHECK_ATTRIBUTES]; /* by number in clone_attributes.c */
  CORO_VEC(struct check_exit) exits;
  uint32_t *exits_of; /* by landing: the last in `exits`, or IR_NONE */
  CORO_VEC(struct check_claim) claims;
  uint32_t claims_done;
  CORO_VEC(struct check_slot) slots;
  struct coro_map slot_numbers, types; /* (offset, type), type -> number */
  struct coro_map exported_numbers; /* (slot, value) -> number */
  struct coro_map *fact_numbers; /* by clone: (carrier, value) -> number */
  struct coro_map exported; /* (slot fact, suspend) */
  struct coro_map exported_values; /* presplit values that the frame keeps across a suspend */
  CORO_VEC(struct check_memory) memories;
  uint32_t *memory_of; /* by presplit value: index in `memories` + 1; 0: none */
  struct coro_bits from_allocator; /* the llvm.coro.alloca.alloc for which a clone calls the allocator */
  struct coro_map heap_slack; /* presplit instruction + 1 -> bytes of its heap block that precede the alloca's */
  LLVMValueRef release_helper, drop_helper; /* functions whose code has been compared; see heap_helpers.h */
  coro_insts errors; /* swifterror values */
  LLVMValueRef suspend_results[3]; /* the constants -1, 0 and 1 of the type that was used last; NULL until used */
  CORO_VEC(struct check_span) spans;
  struct exclusive_slots *exclusive; /* NULL until used */
  coro_insts escaping; /* fields of allocas that escape and share bytes with spilled values */
  bool has_shared_allocas, has_pads;
  unsigned char *shared; /* by field, see frame_overlap.h; NULL until used */
  uint16_t hooks, empty_hooks; /* sets of 1 << enum hook: those that there are, and that do nothing */
  struct check_body *bodies; /* by number in the witness */
  struct coro_map callees; /* callee of a body -> its struct ir_fn */
  struct coro_map async_resumes; /* llvm.coro.async.resume + 1 -> its suspend + 1 */
  CORO_VEC(uint64_t) borders; /* sorted borders of the frame's cells */
  CORO_VEC(struct check_range) fields, spills; /* sorted by offset */
  bool frame_stored; /* the ramp stores the address of an allocated frame in the buffer */
  enum check_verdict verdict; /* proved only at the end, when all checks have succeeded */
  const char *message; /* about the first refutation, else about the first unsupported construct */
  const char *function;
};

/* Numbers a clone. NULL: out of memory. */
struct check_clone *check_number_clone(struct check *c, const struct witness_clone *from, uint32_t number);
/* The instruction at a place of a block, or after it: see check_event. */
static inline uint32_t check_inst_at(const struct check_clone *k, uint32_t block, uint32_t at)
{
  return k->fn.block_start[block] + at / 2;
}
/* Whether the value is in the array of carriers for the presplit instruction; false if there is no array. */
static inline bool check_is_known_carrier(const struct check_clone *k, uint32_t presplit, LLVMValueRef value)
{
  return value && k->carrier_array && k->carrier_array[presplit] == value;
}
/* Whether block `a` of the clone dominates block `b`. False if memory runs out, which the arena records. */
bool check_dominates(const struct check *c, const struct check_clone *k, uint32_t a, uint32_t b);
/* Position of an instruction in its block. */
static inline uint32_t check_position(const struct check_clone *k, uint32_t inst)
{
  return inst - k->fn.block_start[k->fn.inst_block[inst]];
}
/* An operand of the coroutine's llvm.coro.id. */
static inline LLVMValueRef check_id_operand(const struct check *c, unsigned operand)
{
  return LLVMGetOperand(c->low->fn.insts[c->low->shape.id], operand);
}
/* Whether it is the dynamic ABI: the caller allocates the frame, and passes an allocator for all other memory. */
static inline bool check_is_dynamic(const struct check *c)
{
  return c->low->shape.intrin[c->low->shape.id] == INTRIN_ID_RETCON_DYNAMIC;
}
/* An operand of the id of a returned-continuation coroutine, from the buffer on, and its index. A dynamic id has two
   more operands before. */
static inline unsigned check_retcon_index(const struct check *c, unsigned operand)
{
  return check_is_dynamic(c) ? operand + (DYNAMIC_BUFFER - RETCON_BUFFER) : operand;
}
static inline LLVMValueRef check_retcon_operand(const struct check *c, unsigned operand)
{
  return check_id_operand(c, check_retcon_index(c, operand));
}
/* The memory of a presplit value; NULL: no clone uses its address. */
static inline struct check_memory *check_memory_of(const struct check *c, uint32_t value)
{
  return c->memory_of[value] ? &c->memories.items[c->memory_of[value] - 1] : NULL;
}
/* The index of a suspend, given its instruction. */
static inline uint32_t check_suspend_of(const struct check *c, uint32_t inst)
{
  return c->low->shape.suspend_of[inst];
}
/* The number of the event of a presplit instruction that was added last; `next` leads to the others. IR_NONE: none. */
uint32_t check_last_added_event_or_none(const struct check_clone *k, uint32_t inst);
/* The only event of a presplit instruction. False: none, or several. */
bool check_find_only_event(const struct check_clone *k, uint32_t inst, struct check_event *event);
/* The same while edges are still being checked, which may add events: check_edges repeats it at its end. */
bool check_find_only_event_to_recheck(struct check_clone *k, struct coro_arena *arena, uint32_t inst,
                                      struct check_event *event);
/* The last event in the block up to the place `at`. False: none. */
bool check_find_last_event_up_to(const struct check_clone *k, uint32_t inst, uint32_t block, uint32_t at,
                                 struct check_event *event);
/* Adds an event, unless there is one at the same place. Returns whether the presplit instruction has no other event.
   The arena records failures. */
bool check_add_event_to_others(struct check_clone *k, struct coro_arena *arena, uint32_t inst, uint32_t block,
                               uint32_t at);
static inline bool check_add_event_and_return_is_only(struct check_clone *k, struct coro_arena *arena, uint32_t inst,
                                                      uint32_t block, uint32_t at)
{
  if (!k->event_array || k->event_array[inst])
    return check_add_event_to_others(k, arena, inst, block, at);
  if (coro_vec_push(arena, &k->events, ((struct check_event){inst, block, at, IR_NONE, IR_NONE})))
    k->event_array[inst] = k->events.count;
  return true;
}
/* The allocated type of an alloca whose array size is 1; NULL: the size may differ. */
LLVMTypeRef check_single_alloca_type(LLVMValueRef alloca);
/* The bytes of the frame that the instruction accesses; NULL: none, or it is a copy. See frame_access.h. */
static inline const struct check_frame_bytes *check_frame_bytes_or_null(const struct check_clone *k, uint32_t inst)
{
  return k->frame_bytes_of[inst] ? &k->frame_bytes.items[k->frame_bytes_of[inst] - 1] : NULL;
}
/* The bytes that a load or store of the clone accesses. False: the type is scalable. */
bool check_find_access_size(const struct check *c, const struct check_clone *k, uint32_t inst, uint64_t *bytes);
/* Whether the lowering computes the address as a constant number of bytes from `base`, or into the frame. */
bool check_is_constant_offset_from(const struct check_clone *k, LLVMValueRef base, LLVMValueRef address,
                                   uint64_t *offset);
bool check_is_frame_address(const struct check_clone *k, LLVMValueRef address, uint64_t *offset);
/* The same for the address of a load or store. */
bool check_accesses_frame(const struct check_clone *k, uint32_t inst, uint64_t *offset);
