/* The witness of a lowering, a certificate that csrc/emit records while it copies code: the presplit counterpart of
   each block and instruction of a clone. The checker verifies every entry, so a wrong witness can only make a check
   fail.
   Requires: lowering.
   Guarantees: nothing is recorded, and no time is spent, if the witness is NULL. */
#pragma once

#include "lowering/hook.h"
#include "lowering/lowering.h"

enum witness_kind {
  WITNESS_NONE,           /* code of the ABI without a presplit counterpart */
  WITNESS_COPY,           /* a copy of the instruction */
  WITNESS_RELOAD,         /* a load of the value from its frame field */
  WITNESS_REMATERIALIZED, /* the value computed from its operands once more */
  WITNESS_MERGE,          /* a phi of the value's carriers */
  WITNESS_SPILL,          /* a store of the value to its frame field, right after it is computed, or at the landing */
  WITNESS_ALLOCA,         /* the clone's own alloca for an alloca, or for a byval-like or swifterror argument */
  WITNESS_LOWERED,        /* code of the ABI that replaces the instruction */
  WITNESS_INLINED,        /* a copy of an instruction of a function that the ABI calls */
  WITNESS_CALLED,         /* a call of such a function */
};

struct witness_entry {
  enum witness_kind kind;
  uint32_t of; /* LOWERED, COPY: presplit instruction; INLINED, CALLED: number of the body; others: presplit value */
};

/* The body of a function that the ABI calls, inlined into a clone. A call counts as one, too. */
struct witness_body {
  LLVMValueRef callee, function; /* `callee`: the function; `function`: the clone that contains the body */
  uint32_t inst; /* the presplit instruction that is being lowered */
  bool tail; /* the clone returns where the body returns */
};

/* One function with a copy of presplit code. */
struct witness_clone {
  LLVMValueRef function;
  LLVMBasicBlockRef entry;
  LLVMValueRef frame; /* the frame's address; NULL: none */
  unsigned clone_kind;      /* an enum coro_clone_kind */
  uint32_t landing;   /* node of the only landing; IR_NONE: all, or the ramp */
};

struct check_witness {
  struct coro_arena *arena;
  /* Instruction -> entry, and block -> node of the presplit control-flow graph, as labels (ir/number.h): the check adds
     the ids of its numbering. */
  struct coro_map entries;
  struct coro_map originals; /* instruction of an inlined body -> the callee's */
  CORO_VEC(struct witness_clone) clones;
  CORO_VEC(struct witness_body) bodies;
  /* Of a custom ABI: its hooks and the initial content of its header; NULL: none. */
  LLVMValueRef hooks[HOOK_COUNT], header_value;
  LLVMValueRef clone_prototype; /* the type and the attributes of its resuming clones; NULL: those of f.resume */
};

/* `instructions` is the expected number of entries. NULL: out of memory. */
struct check_witness *witness_create(struct coro_arena *arena, uint32_t instructions);
/* Records the presplit counterpart of an instruction of a clone; other values are ignored. The arena records
   failures. */
void witness_record_counterpart(struct check_witness *w, LLVMValueRef made, enum witness_kind kind, uint32_t of);
/* Records that a value is the result of a replaced instruction, unless it has an entry: it may be a result twice. */
void witness_record_result_if_no_entry(struct check_witness *w, LLVMValueRef emitted, uint32_t presplit_inst);
/* Call before an instruction with an entry is erased: LLVM may reuse its memory. */
void witness_remove_entry(struct check_witness *w, LLVMValueRef made);
void witness_record_block(struct check_witness *w, LLVMBasicBlockRef block, uint32_t node);
void witness_record_clone(struct check_witness *w, const struct witness_clone *clone);
/* Records a body before it is emitted; then its call, or a copy of one of its instructions. `witness` may be NULL. */
void witness_record_body(struct check_witness *w, const struct witness_body *body);
void witness_record_call_of_last_body(struct check_witness *w, LLVMValueRef call);
void witness_record_inlined_copy(void *witness, LLVMValueRef original, LLVMValueRef copy);
/* The instruction that an inlined one is a copy of. */
LLVMValueRef witness_original_or_null(const struct check_witness *w, LLVMValueRef copy);
struct witness_entry witness_entry_of_value(const struct check_witness *w, LLVMValueRef made);
/* A label of an instruction has a kind and a number; one that does not fit is refuted. */
enum { WITNESS_NUMBER_BITS = 28 };
#define WITNESS_NUMBER_MASK ((UINT32_C(1) << WITNESS_NUMBER_BITS) - 1)
static inline struct witness_entry witness_entry_of_label(uint32_t label)
{
  uint32_t of = label & WITNESS_NUMBER_MASK;
  return (struct witness_entry){(enum witness_kind)(label >> WITNESS_NUMBER_BITS),
                                of == WITNESS_NUMBER_MASK ? IR_NONE : of};
}
static inline uint32_t witness_node_of_label(uint32_t label) /* of a block; IR_NONE: none */
{
  return label - 1;
}
