/* Reads the types of source variables from DWARF metadata.
   Requires: LLVM-C.
   Guarantees: a table of plain structs in an arena, one entry per type; the module is unchanged. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "llvm-c/Core.h"
#include "pycoro.h"

struct coro_source_types {
  LLVMContextRef context;
  struct coro_arena *arena, *scratch; /* `arena` for the table, `scratch` for temporary data */
  CORO_VEC(coro_source_type) types;
  CORO_VEC(LLVMMetadataRef) nodes; /* indexed by type: node still to be read; NULL: done */
  struct coro_map numbers; /* node -> type */
};

void coro_source_types_init(struct coro_source_types *types, LLVMContextRef context, struct coro_arena *arena,
                            struct coro_arena *scratch);
/* The index of a type in the table; CORO_NONE: unknown. Its components are read by coro_source_types_read. */
uint32_t coro_source_type_of(struct coro_source_types *types, LLVMMetadataRef node);
/* Reads the components of all types; of pointees only the name. Each node is read once. False: out of memory. */
bool coro_source_types_read(struct coro_source_types *types);
/* The size of a type in bits without typedefs and qualifiers; 0: unknown. */
uint64_t coro_source_type_bits(const struct coro_source_types *types, LLVMMetadataRef node);
/* The type of the member that occupies exactly these bits of a record, also in nested records and base classes; adds
   its name to *name, as in "point.x". NULL: there is none. */
LLVMMetadataRef coro_source_member_at(const struct coro_source_types *types, LLVMMetadataRef node, uint64_t offset,
                                      uint64_t size, const char **name);
