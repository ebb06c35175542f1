/* Kept: what the ABI wants in the frame, or out of it, though the lowering would have it elsewhere.
   Needs: choose, cfg, crossing. Leaves: the variable's place; the function as it was. */
#ifndef CORO_CORO_KEPT_H
#define CORO_CORO_KEPT_H

#include "coro/lowering.h"

struct kept { /* all zero but for the first */
  struct coro_lowering *low;
  bool ready;
  coro_insts points;      /* behind which the frame may be gone, in program order */
  struct coro_bits gone;  /* by node: it may be at its head */
  struct coro_bits begun; /* by node: control may have come by coro.begin */
  uint32_t *seen, *stack; /* by node */
  uint32_t walk;
};

struct kept_uses { /* of a variable and its aliases */
  const coro_insts *accesses, *starts, *ends;
  bool escapes, escapes_early; /* early: before coro.begin */
  bool again;                  /* it is made more than once in a part */
  bool outside;                /* the program says that it is not in the frame */
};

/* Asks the ABI, if it wants to be, about a variable of constant size that the lowering has put somewhere. EREJECTED
   where it can not be where the ABI wants it. */
coro_status kept_variable(struct kept *kept, struct coro_alloca *a, const struct kept_uses *uses);
/* The same of a value that is needed behind a suspend, which an obstacle (NULL: none) holds in the frame; it is for the
   caller to do as *wanted says. */
coro_status kept_value(struct coro_lowering *low, uint32_t value, bool is_kept, const char *why, const char *obstacle,
                       coro_keep *wanted);

#endif
