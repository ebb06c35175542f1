/* Applies a custom ABI's placement policy: allocas and values forced into the frame or out of it.
   Requires: choose, cfg, crossing.
   Guarantees: the alloca's placement; the function is unchanged. */
#ifndef CORO_CORO_KEPT_H
#define CORO_CORO_KEPT_H

#include "coro/lowering.h"

struct kept { /* initialize `low`, zero the rest */
  struct coro_lowering *low;
  bool ready;
  coro_insts points;      /* instructions after which the frame may be freed, in program order */
  struct coro_bits gone;  /* set of nodes: the frame may be freed at the head */
  struct coro_bits begun; /* set of nodes: coro.begin may have been executed */
  uint32_t *seen, *stack; /* indexed by node */
  uint32_t walk;
};

struct kept_uses { /* uses of an alloca and its aliases */
  const coro_insts *accesses, *starts, *ends;
  bool escapes, escapes_early; /* early: before coro.begin */
  bool again;                  /* a clone may execute it more than once */
  bool outside;                /* marked as outside of the frame by the program */
};

/* Asks the ABI, if it has the policy, about an alloca of constant size. EREJECTED if it cannot be where the ABI
   wants it. */
coro_status kept_variable(struct kept *kept, struct coro_alloca *a, const struct kept_uses *uses);
/* The same for a value that is live across a suspend; `obstacle` (NULL: none) says why it must be spilled. The
   caller implements *wanted. */
coro_status kept_value(struct coro_lowering *low, uint32_t value, bool is_kept, const char *why, const char *obstacle,
                       coro_spill_choice *wanted);

#endif
