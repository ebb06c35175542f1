/* Tests whether memory outside of the program's objects is mapped.
   Requires: a host that trusts the program. Guarantees: memory keeps its contents. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct probe {
  uint64_t readable[256], writable[256]; /* cache of mapped pages */
};

/* True if all pages are mapped, as far as the system tells. */
bool probe_is_range_mapped(struct probe *probe, uint64_t address, uint64_t size, bool write);
