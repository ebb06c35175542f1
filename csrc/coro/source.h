/* Source: what debug information calls a coroutine, and the variables behind its values.
   Needs: the function's numbering. Leaves: texts in the given arena; the function as it was. */
#ifndef CORO_CORO_SOURCE_H
#define CORO_CORO_SOURCE_H

#include "base/map.h"
#include "coro/lowering.h"

struct coro_source {
  LLVMContextRef context;
  struct coro_arena *arena, *scratch; /* for texts; for what is needed on the way to them */
  struct coro_map variables; /* DILocalVariable: the first that is told of a value, or of memory */
};

/* Costs a look at each debug record. False: memory ran out. */
bool coro_source_find(struct coro_source *source, struct coro_arena *arena, const struct coro_lowering *low);
/* "" and 0 where nothing is known. */
coro_source_info coro_source_of_function(const struct coro_source *source, LLVMValueRef function);
coro_source_info coro_source_of_value(const struct coro_source *source, uint32_t value, bool is_memory);
LLVMMetadataRef coro_source_type_node(const struct coro_source *source, uint32_t value, bool is_memory); /* or NULL */
coro_source_info coro_source_of_inst(const struct coro_source *source, LLVMValueRef inst);

#endif
