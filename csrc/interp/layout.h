/* Layouts: how a type lies in memory, and of which scalars its values are made.
   Needs: the module's data layout. Leaves: one struct layout for each type, kept as long as the interpreter. */
#ifndef CORO_INTERP_LAYOUT_H
#define CORO_INTERP_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "llvm-c/Types.h"

struct interp;

enum leaf_kind { LEAF_INT, LEAF_FLOAT, LEAF_POINTER, LEAF_TOKEN };

struct leaf {
  uint64_t offset; /* in bytes; in bits where the layout is packed */
  unsigned char bits;
  unsigned char kind;
};

struct layout { /* of a type, in memory and as cells */
  LLVMTypeRef type;
  uint64_t size, store_size;
  uint32_t align, count;
  struct leaf *leaves;
  bool packed;      /* a vector whose elements do not begin at bytes */
  bool unsupported; /* no values of it */
  bool sized;       /* LLVM can tell its size */
};

/* NULL only when memory ran out. */
const struct layout *layout_of(struct interp *in, LLVMTypeRef type);
const struct layout *layout_of_pointer(struct interp *in);

#endif
