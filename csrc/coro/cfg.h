/* Normalise: the control flow of a presplit coroutine, with its suspends made explicit. The function itself is not
   touched: blocks are seen as fragments, cut where control may leave the function, and every suspend gets a landing,
   the place where a resumed or destroyed coroutine comes back.
   Needs: number, shape, choose, unwound. Leaves: a graph in which the only way past a suspend is its landing. */
#ifndef CORO_CORO_CFG_H
#define CORO_CORO_CFG_H

#include "base/bits.h"
#include "coro/pads.h"
#include "graph/graph.h"

/* The functions that a coroutine becomes; an edge or a node belongs to a set of them. */
enum coro_part { PART_RAMP = 1, PART_RESUME = 2, PART_DESTROY = 4, PART_CLEANUP = 8, PART_CLONES = 14, PART_ALL = 15 };

struct cfg_node {
  uint32_t first, last; /* instructions [first, last); empty for a landing */
  uint32_t block;       /* the source block; for a landing that of its suspend */
  uint32_t suspend;     /* of a landing, or of the fragment that ends in this suspend: index in shape; else IR_NONE */
  uint32_t hop; /* the landing of no suspend of its own where control that leaves here may come back, or IR_NONE */
  bool landing;
  bool cut; /* ends before the block's terminator */
  bool folded; /* dissolved: only chose by the suspend's result, which is known wherever it is reached */
  unsigned parts; /* in which parts it can be reached: a set of enum coro_part */
  uint32_t edge_start; /* edges [edge_start, edge_start of the next node) */
};

struct cfg_edge {
  uint32_t to;
  unsigned parts; /* 0: the hop from a suspend to its landing, which no part takes by itself */
};

/* Control that leaves the function at an instruction may come back at an extra landing, or at that of the final
   suspend, where `landing` is IR_NONE. */
struct cfg_hop {
  uint32_t inst, landing;
};

/* What a graph is built with besides the function, by whoever knows why. */
struct cfg_extra {
  /* Landings that belong to no suspend, of which destroy and cleanup take every one: the instruction where control goes
     on, IR_NONE where the part returns at once. Each is the end of some hop. */
  uint32_t *landings;
  uint32_t landing_count;
  struct cfg_hop *hops;
  uint32_t hop_count;
  struct coro_bits ramp_only; /* by instruction: clones that come by pass it over */
  /* By block: on an edge from one of the former to one of the latter clones return. */
  struct coro_bits returns_from, returns_to;
  /* By instruction, what is computed for an exception that goes on alone; by block, where clones come only if there is
     none, as it has ended the coroutine before. */
  struct coro_bits for_exception, without_exception;
};

struct coro_cfg {
  struct cfg_node *nodes; /* fragments in program order, landings in the order of shape's suspends, extra landings */
  uint32_t node_count, fragment_count;
  uint32_t extra_start; /* the first extra landing; the others follow up to the last node */
  struct cfg_edge *edges; /* a fragment's edges stand in the order of its terminator's successors */
  uint32_t edge_count;
  uint32_t *node_of_inst; /* of inst_count */
  uint32_t inst_count;
  uint32_t *first_node, *last_node; /* by block */
  struct graph graph; /* all edges */
  struct graph_rpo rpo;
  struct graph_dom dom;
  uint32_t begin_node; /* the fragment right after coro.begin */
  bool returns; /* behind a suspend its landing alone goes on, behind an end nothing does */
  struct coro_pads pads; /* edges on which an exception leaves the function in some parts */
  struct cfg_extra extra;
};

coro_status coro_cfg(struct coro_lowering *low);
/* The graph without `graph`, `rpo` and `dom`. False: memory ran out. */
bool cfg_outline(struct coro_cfg *cfg, struct coro_arena *arena, const struct ir_fn *fn, const struct coro_shape *shape,
                 const struct cfg_extra *extra, bool returns);
static inline uint32_t cfg_node_of(const struct coro_cfg *cfg, uint32_t inst)
{
  return cfg->node_of_inst[CORO_INDEX(inst, cfg->inst_count)];
}
static inline uint32_t cfg_landing(const struct coro_cfg *cfg, uint32_t suspend)
{
  return cfg->fragment_count + suspend;
}
static inline bool cfg_is_extra_landing(const struct coro_cfg *cfg, uint32_t node)
{
  return node >= cfg->extra_start;
}
/* What clones take into this phi from the node nobody looks at. */
static inline bool cfg_takes_nothing(const struct coro_cfg *cfg, uint32_t phi, uint32_t from)
{
  return cfg->extra.for_exception.size && coro_bits_get(&cfg->extra.for_exception, phi) &&
         (cfg_is_extra_landing(cfg, from) || coro_bits_get(&cfg->extra.without_exception, cfg->nodes[from].block));
}
/* Clones that come by this instruction pass it over. */
static inline bool cfg_is_ramp_only(const struct coro_cfg *cfg, uint32_t inst)
{
  return cfg->extra.ramp_only.size && coro_bits_get(&cfg->extra.ramp_only, inst);
}
/* On the edge between these blocks clones return. */
static inline bool cfg_clones_return(const struct coro_cfg *cfg, uint32_t from, uint32_t to)
{
  return cfg->extra.returns_from.size && coro_bits_get(&cfg->extra.returns_from, from) &&
         coro_bits_get(&cfg->extra.returns_to, to);
}
/* Instruction a, or the point right before it, comes before instruction b on every path to b. */
bool cfg_dominates(const struct coro_cfg *cfg, uint32_t a, uint32_t b);
/* The nodes from which control comes along the edges of source block `block` in some part: its last fragment, or
   the suspend and the landing that a dissolved fragment hangs on; and the extra landing behind it. Returns how many
   (1 or 2). */
uint32_t cfg_edge_nodes(const struct coro_cfg *cfg, uint32_t block, uint32_t nodes[2]);
/* In `part` the frame is there when control is in `node`: always in a clone, behind coro.begin in the ramp. */
static inline bool cfg_has_frame(const struct coro_cfg *cfg, unsigned part, uint32_t node)
{
  return part != PART_RAMP || (cfg->begin_node != IR_NONE && graph_dominates(&cfg->dom, cfg->begin_node, node));
}
/* The node holds phis and a catchswitch, and has room for nothing else. */
static inline bool cfg_is_catchswitch(const struct coro_cfg *cfg, const struct ir_fn *fn, uint32_t node)
{
  const struct cfg_node *n = &cfg->nodes[node];
  return !n->landing && !n->cut && fn->opcode[n->last - 1] == LLVMCatchSwitch;
}
/* Whether part takes an edge from node `from` to node `to`. */
bool cfg_has_edge(const struct coro_cfg *cfg, uint32_t from, uint32_t to, unsigned part);

#endif
