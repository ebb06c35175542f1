/* Types of the source's variables, as debug information describes them.
   Needs: LLVM-C. Leaves: a table of plain structs in an arena, in which each type stands once; the module as it was. */
#ifndef CORO_CORO_SOURCE_TYPE_H
#define CORO_CORO_SOURCE_TYPE_H

#include "base/map.h"
#include "base/vec.h"
#include "llvm-c/Core.h"
#include "pycoro.h"

struct coro_source_types {
  LLVMContextRef context;
  struct coro_arena *arena, *scratch; /* for the table; for what is needed on the way to it */
  CORO_VEC(coro_source_type) types;
  CORO_VEC(LLVMMetadataRef) nodes; /* by type: what is to be read of it; NULL: it is read */
  struct coro_map numbers; /* node -> type */
};

void coro_source_types_init(struct coro_source_types *types, LLVMContextRef context, struct coro_arena *arena,
                            struct coro_arena *scratch);
/* The place of a type in the table. CORO_NONE: nothing is known of it. What it is made of is read by the next call of
   the function below. */
uint32_t coro_source_type_of(struct coro_source_types *types, LLVMMetadataRef node);
/* Reads what the types are made of, members and elements among them; of what a pointer leads to, its name alone. Each
   node is read once. False: memory ran out. */
bool coro_source_types_read(struct coro_source_types *types);

#endif
