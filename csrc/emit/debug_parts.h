/* The pieces of a part's debug information.
   Needs: low->debug. Leaves: only coro/emit_debug*.c include it. */
#ifndef CORO_EMIT_DEBUG_PARTS_H
#define CORO_EMIT_DEBUG_PARTS_H

#include "debug/debug.h"
#include "emit/debug.h"
#include "ir/nodes.h"

struct emit_debug {
  LLVMDIBuilderRef builder;
  struct ir_nodes nodes;
  struct coro_map numbers; /* node of the source -> number of its copy, or IR_NONE: it serves all parts */
  CORO_VEC(LLVMMetadataRef) copied; /* the nodes that have a number, in its order */
  struct coro_map locations;        /* location of the source -> this part's */
  struct coro_map expressions; /* record + 1 -> number of its expression; not there: as it is in the source */
  struct coro_map again; /* the same where a record is said again */
  CORO_VEC(uint32_t)
  variables; /* records that declare a variable on this part's stack, which may turn out to be unused */
  struct coro_map labels; /* suspend + 1 -> number */
  uint32_t frame_variable;
  bool has_base; /* a parameter leads to the frame */
  struct emit_base base; /* ... or a value of the part does */
};

static inline uint64_t key(LLVMMetadataRef node)
{
  return (uint64_t)(uintptr_t)node;
}

static inline const struct coro_debug *source(const struct emit *e)
{
  return e->low->debug;
}

static inline uint32_t number_of(const struct emit_debug *d, LLVMMetadataRef node)
{
  uint64_t number = IR_NONE;
  return node && coro_map_get(&d->numbers, key(node), &number) ? (uint32_t)number : IR_NONE;
}

/* The part's own copy of a node; the node itself where it serves all parts. */
static inline LLVMMetadataRef own(struct emit *e, LLVMMetadataRef node)
{
  uint32_t number = number_of(e->debug, node);
  return number == IR_NONE ? node : e->debug->nodes.made[number];
}

static inline LLVMMetadataRef own_subprogram(struct emit *e)
{
  return emit_in_place(e) ? source(e)->subprogram : own(e, source(e)->subprogram);
}

/* Whether the part has this record where its frame begins, instead of where the source has it. */
bool emit_debug_is_early(const struct emit *e, const struct debug_record *record);
/* Whether a variable of the part's keeps the frame's address for the debugger. */
bool emit_debug_keeps_frame(const struct emit *e);

#endif
