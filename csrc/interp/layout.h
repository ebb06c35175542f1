/* Type layouts: sizes in memory, and the flattened list of scalars.
   Requires: the module's data layout. Guarantees: one struct layout per type, which lives as long as the
   interpreter. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "interp/cell.h"
#include "llvm-c/Types.h"

struct interp;

enum leaf_kind { LEAF_INT, LEAF_FLOAT, LEAF_POINTER, LEAF_TOKEN };

struct leaf {
  uint64_t offset; /* in bytes; in bits if the layout is packed */
  unsigned char bits;
  unsigned char kind;
};

struct layout { /* layout of a type in memory, and as cells */
  LLVMTypeRef type;
  uint64_t size, store_size;
  uint32_t align, count;
  struct leaf *leaves;
  bool packed;      /* a vector whose elements do not fill whole bytes */
  bool unsupported; /* values of this type are not supported */
  bool sized;       /* LLVM can compute its size */
};

/* NULL: out of memory. */
const struct layout *layout_of_llvm_type(struct interp *in, LLVMTypeRef type);
uint64_t layout_element_count(LLVMTypeRef type); /* 0 for a scalar */
const struct layout *layout_of_pointer(struct interp *in);

static inline void cells_fill_with_poison(const struct layout *type, struct cell *out)
{
  for (uint32_t i = 0; i < type->count; i++)
    out[i] = cell_poison(type->leaves[i].bits);
}
