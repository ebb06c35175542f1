/* Data of jump threading: a function, and the variants (block, state) that it will have.
   Requires: ir, graph. */
#pragma once

#include "ir/number.h"
#include "loops/state_variants.h"
#include "run/pass.h"

struct jump_threading {
  struct pass_run *run;
  struct ir_fn fn;
  struct graph g; /* nodes are blocks; edges are the terminator's successors in order */
  struct graph_variants variants;
  struct graph variant_graph;
  /* Results per variant: its block, and the clones of its instructions in order; the originals if the block has one
     variant. */
  LLVMBasicBlockRef *blocks;
  LLVMValueRef **copies;
  struct coro_map start_values; /* (value, variant) -> value at the variant's start */
  LLVMBuilderRef builder;
};

static inline bool jump_thread_has_clones(const struct jump_threading *s, uint32_t node)
{
  return s->variants.of_node[node] > 1;
}

/* Index of the phi's incoming value from a block. */
static inline uint32_t jump_thread_incoming_index(const struct jump_threading *s, uint32_t phi, uint32_t block)
{
  return CORO_INDEX(ir_phi_index_of(&s->fn, phi, block), ir_phi_count(&s->fn, phi));
}

/* Creates the variants. False: out of memory. */
bool jump_thread_clone_blocks(struct jump_threading *s);
/* The clone or phi that holds the original `value` at the start or end of a variant; NULL: it needs a phi that does not
   exist yet. Walks back through single predecessors: *variant becomes the variant at which the walk ended. */
LLVMValueRef jump_thread_find_available_value(const struct jump_threading *s, uint32_t value, uint32_t *variant,
                                              bool at_end);
/* Copies debug records to clones, and recreates records that refer to cloned values. */
void jump_thread_copy_debug_records(struct jump_threading *s);
