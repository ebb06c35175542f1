/* Reads source names and locations of a coroutine and of its values from debug information.
   Requires: the function's numbering.
   Guarantees: strings in the given arena; the function is unchanged. */
#pragma once

#include "base/map.h"
#include "ir/number.h"
#include "pycoro.h"

struct coro_source {
  LLVMContextRef context;
  struct coro_arena *arena, *scratch; /* `arena` for results, `scratch` for temporary data */
  struct coro_map variables; /* first DILocalVariable of a value, or of memory */
};

/* Visits every debug record of the function. Sets `variables`; the client has set the other members. False: out of
   memory. */
bool coro_source_read_debug_records(struct coro_source *source, const struct ir_fn *fn);
/* "" and 0 if unknown. */
coro_source_info coro_source_of_function(const struct coro_source *source, LLVMValueRef function);
coro_source_info coro_source_of_value(const struct coro_source *source, uint32_t value, bool is_memory);
LLVMMetadataRef coro_source_type_node(const struct coro_source *source, uint32_t value, bool is_memory); /* or NULL */
/* Unknown also if `inst` is NULL. */
coro_source_info coro_source_of_inst(const struct coro_source *source, LLVMValueRef inst);
