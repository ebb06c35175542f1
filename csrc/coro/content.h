/* Content: whether what a variable holds is needed across a suspend. Asked of variables that are only loaded from and
   stored to as a whole, whose address nobody else sees; it is the question that a value's crossing answers.
   Needs: number, cfg, crossing. Leaves: nothing changed. */
#ifndef CORO_CORO_CONTENT_H
#define CORO_CORO_CONTENT_H

#include "coro/crossing.h"
#include "ir/size.h"

struct content {
  struct coro_arena *arena;
  const struct ir_fn *fn;
  const struct coro_cfg *cfg;
  const struct coro_crossing *crossing;
  struct ir_sizes *sizes;
  coro_insts stores; /* of the variable that is asked about, in program order */
  uint32_t *seen;    /* by node, zero at first: stamp of the variable whose walks look behind the node */
  uint32_t *stack;   /* of node_count */
  uint32_t stamp;
};

bool content_init(struct content *content, const struct coro_lowering *low); /* false: memory ran out */
/* Every access is a load from, or a store of `size` bytes to, the variable itself. Sorts the accesses. */
bool content_is_whole(const struct content *content, uint32_t variable, uint64_t size, coro_insts *accesses);
/* *load: one that may see what was stored before a suspend, IR_NONE if there is none. content_is_whole holds. False:
   memory ran out. */
bool content_crossing_load(struct content *content, const coro_insts *accesses, uint32_t *load);

#endif
