/* Creates debug info nodes. LLVM-C reads and sets few fields of a node and cannot copy one. But LLVM parses what it
   prints, and operands that refer to existing nodes can be set after parsing.
   Requires: base, LLVM-C. Guarantees: new nodes in the context; no module changes. */
#pragma once

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
  char *text; /* one line per node; each line is written at once */
  size_t length, capacity;
  uint32_t count;                      /* numbers assigned; each must be written */
  CORO_VEC(struct ir_node_hole) holes; /* references to nodes that already exist */
  LLVMMetadataRef *made;               /* by number, after ir_nodes_parse */
};

void ir_nodes_init(struct ir_nodes *nodes, struct coro_arena *arena, LLVMContextRef context);
static inline uint32_t ir_nodes_number(struct ir_nodes *nodes) /* reserves a number for a new node */
{
  return nodes->count++;
}
/* Out of memory while writing makes ir_nodes_parse fail. */
void ir_nodes_append_formatted(struct ir_nodes *nodes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ir_nodes_append_quoted_string(struct ir_nodes *nodes, const char *text, size_t length); /* quoted */
/* Refers from operand `operand` of node `number` to an existing node (may be NULL). */
void ir_nodes_append_reference(struct ir_nodes *nodes, uint32_t number, uint32_t operand, LLVMMetadataRef node);
struct ir_node_change { /* changes to a subprogram */
  const char *linkage_name;
  unsigned scope_line; /* 0: unchanged */
};
/* Writes a copy of `node`. It refers to the copies of nodes with a number in `numbers` (except UINT32_MAX), and to
   the original nodes otherwise. `change` may be NULL. */
void ir_nodes_copy_with_change(struct ir_nodes *nodes, uint32_t number, LLVMMetadataRef node,
                               const struct coro_map *numbers, const struct ir_node_change *change);
bool ir_nodes_parse(struct ir_nodes *nodes); /* false: out of memory */

/* LLVM's text of a node. Free it with LLVMDisposeMessage. */
char *ir_node_text(LLVMContextRef context, LLVMMetadataRef node);
/* True if a debug record with this expression has one value; LLVM-C can read only the first of several. False if
   memory ran out. */
bool ir_expression_takes_one_value(LLVMContextRef context, LLVMMetadataRef expression);
/* Rewrites the source locations in the !llvm.loop metadata of an instruction with `locate`. LLVM's passes leave such
   metadata on non-terminators too. Failed allocations are recorded in the arena. */
void ir_relocate_loop(struct coro_arena *arena, LLVMContextRef context, LLVMValueRef instruction,
                      LLVMMetadataRef (*locate)(void *user, LLVMMetadataRef at), void *user);
/* Operand `index` of a node, or NULL. */
LLVMMetadataRef ir_node_operand(struct coro_arena *arena, LLVMContextRef context, LLVMMetadataRef node, unsigned index);
/* Text of operand `index` of a node, a string that the context owns; or NULL. Equal strings have one address. */
const char *ir_node_string_operand(struct coro_arena *arena, LLVMContextRef context, LLVMMetadataRef node,
                                   unsigned index, unsigned *length);
enum { NODE_BLOCK_SCOPE = 1, NODE_SUBPROGRAM_NAME = 2, NODE_VARIABLE_TYPE = 3 }; /* operand indices */

#define FRAME_VARIABLE "__coro_frame" /* name of the variable that describes the frame of a coroutine */
/* Name of a variable, as ir_node_string_operand. The name of a frame, which an elided coroutine leaves in its creator,
   is that of the coroutine's function. */
const char *ir_variable_name_or_function_of_frame(struct coro_arena *arena, LLVMContextRef context,
                                                  LLVMMetadataRef variable, unsigned *length);
