/* A function as it is, and the variants that it is to have.
   Needs: ir, graph. Leaves: nothing changed. */
#ifndef CORO_PASS_SPECIALIZE_PARTS_H
#define CORO_PASS_SPECIALIZE_PARTS_H

#include "graph/variants.h"
#include "ir/number.h"
#include "pass/pass.h"

struct specialized {
  struct pass_run *run;
  struct ir_fn fn;
  struct graph g; /* nodes are blocks; edges, a terminator's successors in order */
  struct graph_variants variants;
  /* Made for the variants: a variant's block, and the copies of its instructions, in order, where its node has several;
     else what stood there before. */
  LLVMBasicBlockRef *blocks;
  LLVMValueRef **copies;
  uint32_t *pred_start, *pred; /* by variant: those that lead to it, once for each edge */
  struct coro_map begins; /* value, variant -> what it is where that begins */
  LLVMBuilderRef builder;
};

static inline bool specialize_has_copies(const struct specialized *s, uint32_t node)
{
  return s->variants.of_node[node] > 1;
}

/* Which of the values that the phi chooses from comes from that block. */
static inline uint32_t specialize_entry(const struct specialized *s, uint32_t phi, uint32_t block)
{
  uint32_t count = ir_phi_count(&s->fn, phi), i = 0;
  while (i < count && ir_operand(&s->fn, phi, count + i) != (IR_BLOCK | block))
    i++;
  return CORO_INDEX(i, count);
}

/* Makes them. False: memory ran out. */
bool specialize_make(struct specialized *s);
/* What is known of the value where the variant begins, or at its end; NULL: nobody has asked yet. *variant becomes
   the one in which, or at whose beginning, that is known. */
LLVMValueRef specialize_known(const struct specialized *s, uint32_t value, uint32_t *variant, bool at_end);
/* Copies have the debug records of what they are copies of, and the others those of them that name what there are
   copies of. */
void specialize_tell(struct specialized *s);

#endif
