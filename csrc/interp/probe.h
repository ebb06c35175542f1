/* Whether memory that is not the program's can be touched: asked of the system, which tells instead of trapping.
   Needs: a host that trusts the program. Leaves: nothing. */
#ifndef CORO_INTERP_PROBE_H
#define CORO_INTERP_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct probe {
  uint64_t readable[256], writable[256]; /* pages known to be there */
};

/* Whether all pages can be touched, as far as the system tells. */
bool probe_range(struct probe *probe, uint64_t address, uint64_t size, bool write);

#endif
