/* Loads and stores of cells.
   Requires: memory_object.h. Guarantees: loads report which bits are undefined. */
#pragma once

#include "interp/state.h"

void memory_load_value_checked(struct interp *in, const struct op *op, uint64_t address, const struct layout *type,
                               struct cell *out);
void memory_store_value_checked(struct interp *in, const struct op *op, uint64_t address, const struct layout *type,
                                const struct cell *cells);
void memory_copy_bytes_checked(struct interp *in, const struct op *op, uint64_t to, uint64_t from, uint64_t size);
void memory_fill_bytes_checked(struct interp *in, const struct op *op, uint64_t to, struct cell byte, uint64_t size);
void memory_set_undefined(struct interp *in, uint64_t address, uint64_t size, bool poison); /* makes bytes undefined */
/* Reinterprets cells as another type of the same size. */
void memory_bitcast_cells(struct interp *in, const struct layout *from, const struct cell *cells,
                          const struct layout *to, struct cell *out);
