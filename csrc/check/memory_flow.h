/* Forward dataflow analysis of the content of allocas, over all clones at once: whether the content of each was
   written, is known, or was overwritten in shared bytes, and whether the address has escaped.
   Requires: proved claims; collected uses.
   Guarantees: a fixed point, from which reads of lost content are refuted. */
#pragma once

#include "check/check_data.h"
#include "check/repeated_alloca.h"

/* A use by a presplit instruction; the uses of one instruction form a list. */
struct memory_flow_use {
  uint32_t memory, next;
  unsigned effects;
};

/* Bits of one memory. */
enum {
  CONTENT_WRITTEN,   /* it has content */
  CONTENT_ESCAPED,   /* its address has escaped in this lifetime */
  CONTENT_CLOBBERED, /* the content was overwritten, as the memory shares bytes of the frame */
  CONTENT_KNOWN,     /* its address has escaped in this lifetime or an earlier one */
  CONTENT_BITS
};

/* The instructions of a clone that change the sets. The others, which are most, are not visited. */
struct memory_flow_steps {
  uint32_t *start; /* the instructions of block b: items[start[b]] .. items[start[b + 1]] */
  coro_insts insts;
  bool *pending; /* by block: its sets have changed since its successors were updated */
  bool *visited; /* by block: its successors were updated in this iteration */
};

struct memory_flow {
  struct check *c;
  struct repeated_allocas repeated;
  bool shares; /* an alloca in the frame shares bytes */
  bool repeats; /* an alloca of a loop has one place for all iterations */
  CORO_VEC(struct memory_flow_use) uses;
  uint32_t *first;       /* by presplit instruction: its first use, or IR_NONE */
  uint32_t *stack_index; /* by memory: its first bit, or IR_NONE if it is not tracked */
  uint32_t bit_count, words; /* size of a set: number of bits and of 64-bit words */
  uint32_t overwritten; /* memory that the last step has overwritten, and other code may read; IR_NONE: none */
  /* By clone: two sets for each block, of content written since the clone was entered, and before a suspend. */
  uint64_t **sets;
  uint64_t *at_suspend; /* by landing: content written before its suspends */
  uint64_t *work;       /* scratch: one set `written` and one set `lost` */
  struct memory_flow_steps *steps; /* by clone */
  uint64_t *in_frame;   /* the bits of memory in the frame, which is not lost */
};

/* Whether a block has an instruction that changes the sets, or is judged. */
static inline bool memory_flow_has_steps(const struct memory_flow *m, const struct check_clone *k, uint32_t block)
{
  const uint32_t *start = m->steps[k->number].start + block;
  return start[0] != start[1];
}
/* The sets at the start of a block: first `written`, then `lost`. */
static inline uint64_t *memory_flow_sets_at_block(const struct memory_flow *m, const struct check_clone *k,
                                                  uint32_t block)
{
  return m->sets[k->number] + (size_t)block * 2 * m->words;
}
/* Computes the sets, which are empty before. False: out of memory. */
bool memory_flow_propagate(struct memory_flow *m);
/* Computes the sets before the instruction at position `to` of a block; with `refutes_reads`, refutes reads of lost
   content. */
bool memory_flow_compute_sets_before(struct memory_flow *m, const struct check_clone *k, uint32_t block, uint32_t to,
                                     bool refutes_reads);
/* Applies the instruction to these sets. */
void memory_flow_apply_inst(struct memory_flow *m, const struct check_clone *k, uint32_t inst);
/* Computes the sets where the clone suspends. With `refutes_reads`, also checks the accesses by the instruction that
   suspends, which may pass an address to the code that runs then. False: refuted. */
bool memory_flow_walk_to_exit(struct memory_flow *m, const struct check_exit *exit, bool refutes_reads);

static inline bool memory_flow_has(const uint64_t *set, uint32_t bit)
{
  return set[bit / 64] >> (bit % 64) & 1;
}
static inline void memory_flow_set(uint64_t *set, uint32_t bit)
{
  set[bit / 64] |= UINT64_C(1) << (bit % 64);
}
static inline bool memory_flow_is_in_frame(const struct memory_flow *m, uint32_t memory)
{
  return m->c->memories.items[memory].places & PLACE_IN_FRAME;
}
/* Whether the memory must be on the stack: an exception is stored in it, or the program says so. */
bool memory_flow_is_marked_or_holds_exception(const struct check *c, uint32_t value);
