/* Debug information of one part of a coroutine: nodes and locations of its own.
   Needs: low->debug. Leaves: a subprogram for a function that is not the coroutine's own, the nodes that its records
   and locations name. */
#ifndef CORO_DEBUG_PART_H
#define CORO_DEBUG_PART_H

#include "debug/debug.h"
#include "ir/nodes.h"

/* How DWARF gets from what a parameter was when its part was entered to the frame. */
struct debug_base {
  LLVMValueRef parameter;
  const char *operations; /* of an expression */
  uint64_t offset; /* of the frame from there */
};

/* An instruction in the place of what is read back, until all of that is known. */
struct debug_stand_in {
  LLVMValueRef inst;
  uint32_t value, node;
};

struct debug_part {
  const struct coro_lowering *low; /* up to `base` set by whoever makes the part */
  unsigned part; /* one of enum coro_part */
  LLVMValueRef function;
  const uint32_t *of_part; /* the nodes of the part, in program order */
  uint32_t node_count;
  LLVMBasicBlockRef *blocks; /* by node, NULL where the part does not reach it */
  bool has_base; /* a parameter leads to the frame */
  struct debug_base base; /* ... or a value of the part does */
  LLVMDIBuilderRef builder;
  struct ir_nodes nodes;
  struct coro_map numbers; /* node of the source -> number of its copy, or IR_NONE: it serves all parts */
  CORO_VEC(LLVMMetadataRef) copied; /* the nodes that have a number, in its order */
  struct coro_map locations; /* location of the source -> this part's */
  struct coro_map expressions; /* record + 1 -> number of its expression; not there: as it is in the source */
  struct coro_map again; /* the same where a record is said again */
  CORO_VEC(uint32_t)
  variables; /* records that declare a variable on this part's stack, which may turn out to be unused */
  CORO_VEC(struct debug_stand_in) stand_ins;
  struct coro_map labels; /* suspend + 1 -> number */
  uint32_t frame_variable;
};

static inline bool debug_in_place(const struct debug_part *p)
{
  return p->function == p->low->fn.function;
}

bool debug_part_start(struct debug_part *p); /* before anything is copied. False: memory ran out */
/* Whether the part has this record where its frame begins, instead of where the source has it. */
bool debug_is_early(const struct debug_part *p, const struct debug_record *record);
/* Whether a variable of the part's keeps the frame's address for the debugger. */
bool debug_keeps_frame(const struct debug_part *p);
/* The part's own copy of a node; the node itself where it serves all parts. */
LLVMMetadataRef debug_own(const struct debug_part *p, LLVMMetadataRef node);
LLVMMetadataRef debug_own_subprogram(const struct debug_part *p);

/* Somewhere in the part: for what came from where the part itself does not reach. */
LLVMMetadataRef debug_no_line(const struct debug_part *p);
/* The part's own location of one of the source. */
LLVMMetadataRef debug_location(struct debug_part *p, LLVMMetadataRef at);
/* Likewise of what stands at `at` (NULL: nowhere) in a function that is inlined at `site` of the source. */
LLVMMetadataRef debug_inlined(struct debug_part *p, LLVMMetadataRef site, LLVMMetadataRef at);
/* All that a clone holds yet, its dispatch, stands at its first line. */
void debug_locate_dispatch(struct debug_part *p);
void debug_locate_all(struct debug_part *p); /* every instruction is there */

#endif
