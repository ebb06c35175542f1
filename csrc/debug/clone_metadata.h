/* Debug metadata of the ramp or of one clone; the names below call both a clone.
   Requires: low->debug.
   Guarantees: a subprogram for each function other than the ramp, with the nodes that its records and locations use. */
#pragma once

#include "debug/debug.h"
#include "transform/debug_nodes.h"

/* DWARF location of the frame at function entry, relative to a parameter. */
struct debug_base {
  LLVMValueRef parameter;
  const char *operations; /* DWARF expression */
  uint64_t offset; /* offset of the frame from that address */
};

/* A placeholder for a reload until all reloads are placed. */
struct debug_reload_placeholder {
  LLVMValueRef inst;
  uint32_t value, node;
};

struct debug_clone {
  const struct coro_lowering *low; /* members up to `base` are set by the emitter */
  unsigned clone_kind; /* CLONE_RAMP, or the clone's kind */
  LLVMValueRef function;
  const uint32_t *nodes_of_clone; /* nodes of the clone, in program order */
  uint32_t node_count;
  LLVMBasicBlockRef *blocks; /* indexed by node; NULL if unreachable in the clone */
  bool has_base; /* a parameter leads to the frame */
  struct debug_base base; /* ... or a value of the clone does */
  bool frame_declared_by_value; /* a variable declared in the frame has a value record that loads it from its address */
  LLVMDIBuilderRef builder;
  struct ir_nodes nodes;
  struct coro_map numbers; /* presplit node -> number of its copy, or IR_NONE: shared by all clones */
  CORO_VEC(LLVMMetadataRef) copied; /* the numbered nodes, in order */
  struct coro_map locations; /* presplit location -> the clone's location */
  struct coro_map expressions; /* record + 1 -> number of its expression; absent: unchanged */
  struct coro_map repeated; /* the same for repeated records */
  /* records that declare an alloca of this clone, which may turn out to be unused */
  CORO_VEC(uint32_t) variables;
  CORO_VEC(struct debug_reload_placeholder) placeholders;
  struct coro_map labels; /* suspend + 1 -> number */
  struct coro_map inlined_calls; /* inlinedAt nodes of the locations in the clone */
  uint32_t frame_variable;
};

static inline bool debug_is_ramp(const struct debug_clone *p)
{
  return p->function == p->low->fn.function;
}

bool debug_clone_create_metadata(struct debug_clone *p); /* call before copying. False: out of memory */
/* Whether the clone emits this record where its frame begins instead of at its presplit position. */
bool debug_emits_record_at_frame_start(const struct debug_clone *p, const struct debug_record *record);
/* Whether an alloca of the clone holds the frame's address for the debugger. */
bool debug_has_frame_alloca(const struct debug_clone *p);
/* The clone's copy of a node; the node itself if it is shared by all clones. */
LLVMMetadataRef debug_copy_of_node_or_itself(const struct debug_clone *p, LLVMMetadataRef node);
LLVMMetadataRef debug_clone_subprogram(const struct debug_clone *p);

/* A location on line 0 of the clone, for code from outside of the clone. */
LLVMMetadataRef debug_location_without_line(const struct debug_clone *p);
/* The clone's location for a presplit location. */
LLVMMetadataRef debug_location_in_clone(struct debug_clone *p, LLVMMetadataRef at);
/* The clone's location for `at` (NULL: none) in a function inlined at the presplit location `site`. */
LLVMMetadataRef debug_location_in_inlined_code(struct debug_clone *p, LLVMMetadataRef site, LLVMMetadataRef at);
/* Locates the dispatch, the clone's only code so far, at the function's first line. */
void debug_set_location_of_dispatch(struct debug_clone *p);
void debug_set_locations_in_clone(struct debug_clone *p); /* call after all instructions are emitted */
