/* Nodes of debug information made from text. LLVM-C reads few fields of a node, sets fewer, and copies none; but what
   LLVM prints of a node its parser takes again, and references to nodes that exist already can be put in afterwards.
   Needs: base, LLVM-C. Leaves: new nodes in the context; no module is changed. */
#ifndef CORO_IR_NODES_H
#define CORO_IR_NODES_H

#include "base/map.h"
#include "base/vec.h"
#include "llvm-c/Core.h"

struct ir_node_hole {
  uint32_t number, operand;
  LLVMMetadataRef node;
};

struct ir_nodes {
  struct coro_arena *arena;
  LLVMContextRef context;
  char *text; /* a line a node; each line is written in one go */
  size_t length, capacity;
  uint32_t count;                      /* numbers handed out; every one of them must be written */
  CORO_VEC(struct ir_node_hole) holes; /* references to nodes outside of the text */
  LLVMMetadataRef *made;               /* by number, once made */
};

void ir_nodes_init(struct ir_nodes *nodes, struct coro_arena *arena, LLVMContextRef context);
static inline uint32_t ir_nodes_number(struct ir_nodes *nodes) /* for a node that is to be written */
{
  return nodes->count++;
}
/* Memory that runs out while text is written makes ir_nodes_make fail. */
void ir_nodes_print(struct ir_nodes *nodes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ir_nodes_string(struct ir_nodes *nodes, const char *text, size_t length); /* quoted */
/* A reference from operand `operand` of node `number` to a node that exists already, or to none. */
void ir_nodes_outside(struct ir_nodes *nodes, uint32_t number, uint32_t operand, LLVMMetadataRef node);
struct ir_node_change { /* of a subprogram */
  const char *linkage_name;
  unsigned scope_line; /* 0: its own */
};
/* Writes a copy of `node`: it refers to the copies of those nodes that have a number in `numbers` (UINT32_MAX is none),
   and to the same nodes otherwise. NULL: nothing else is different. */
void ir_nodes_copy(struct ir_nodes *nodes, uint32_t number, LLVMMetadataRef node, const struct coro_map *numbers,
                   const struct ir_node_change *change);
bool ir_nodes_make(struct ir_nodes *nodes); /* false: memory ran out */

/* What LLVM prints of a node. Free it with LLVMDisposeMessage. */
char *ir_node_text(LLVMContextRef context, LLVMMetadataRef node);
/* Whether the debug record that the expression is of has one value: of several LLVM-C gives the first. Where memory ran
   out, it has not. */
bool ir_node_is_of_one_value(LLVMContextRef context, LLVMMetadataRef expression);
/* The metadata of the loop that an instruction goes on with says where the loop is: `locate` says where that is now.
   LLVM's passes also leave it on what is no terminator. Memory that runs out is left to the arena to remember. */
void ir_relocate_loop(struct coro_arena *arena, LLVMContextRef context, LLVMValueRef instruction,
                      LLVMMetadataRef (*locate)(void *user, LLVMMetadataRef at), void *user);
/* Operand `index` of a node, or NULL. */
LLVMMetadataRef ir_node_operand(struct coro_arena *arena, LLVMContextRef context, LLVMMetadataRef node, unsigned index);

#endif
