/* Control-flow graph of a presplit coroutine with explicit suspends. Blocks are divided into fragments wherever control
   may leave the function, and every suspend gets a landing: the node where a resumed or destroyed coroutine continues.
   The function itself is not modified.
   Requires: number, shape, select_abi.
   Guarantees: every suspend has an edge to its landing. No function takes that edge: a clone starts at the landing. The
   only other edge of a suspend, if the ABI continues after it, is the exit path (result -1 of llvm.coro.suspend). */
#pragma once

#include "analysis/funclet_pads.h"
#include "base/bits.h"
#include "graph/graph.h"
#include "graph/worklist.h"

/* The functions that a coroutine is split into: the ramp, and the kinds of its clones. Members named `clone_kinds` are
   sets of them, `clone_kind` is one. */
enum coro_clone_kind {
  CLONE_RAMP = 1,
  CLONE_RESUME = 2,
  CLONE_DESTROY = 4,
  CLONE_CLEANUP = 8,
  CLONE_ALL_BUT_RAMP = 14,
  CLONE_ALL = 15
};

struct cfg_node {
  uint32_t first, last; /* instructions [first, last); empty for a landing */
  uint32_t block; /* presplit block; of a landing: the block of its suspend */
  /* index in shape of the suspend that a landing continues, or in which a fragment ends; else IR_NONE */
  uint32_t suspend;
  bool landing;
  bool cut; /* ends before the block's terminator */
  bool folded; /* only branches on the suspend's result: edges bypass the fragment, so no function contains it */
  unsigned clone_kinds; /* functions that reach it */
  unsigned owners; /* functions that reach it on a path without a suspend, and thus own the frame there */
  uint32_t edge_start; /* edges [edge_start, edge_start of the next node) */
};

struct cfg_edge {
  uint32_t to;
  unsigned clone_kinds; /* functions that take the edge; 0 from a suspend to its landing */
};

struct coro_cfg {
  struct cfg_node *nodes; /* fragments in program order, landings in the order of shape's suspends */
  uint32_t node_count, fragment_count;
  uint32_t unwound_start, unwound_end; /* the landings of suspends after an unwind end */
  struct cfg_edge *edges; /* edges of a fragment are in the order of its terminator's successors */
  uint32_t edge_count;
  uint32_t *node_of_inst; /* inst_count entries */
  uint32_t inst_count;
  uint32_t *first_node, *last_node; /* indexed by block */
  struct graph graph; /* all edges, with the same indices */
  struct graph_rpo rpo;
  struct graph_dom dom;
  uint32_t begin_node; /* the fragment after coro.begin */
  bool returns; /* the ramp and clones return at suspends and ends */
  struct coro_pads pads; /* edges on which an exception leaves the coroutine in some clones */
};

/* `returns`: the ramp and clones return at suspends and ends. False: out of memory. */
bool cfg_build(struct coro_cfg *cfg, struct coro_arena *arena, const struct ir_fn *fn, const struct coro_shape *shape,
               bool returns);
static inline uint32_t cfg_node_of(const struct coro_cfg *cfg, uint32_t inst)
{
  return cfg->node_of_inst[CORO_INDEX(inst, cfg->inst_count)];
}
static inline uint32_t cfg_landing(const struct coro_cfg *cfg, uint32_t suspend)
{
  return cfg->fragment_count + suspend;
}
/* Whether the coroutine was ended by an exception at the landing's suspend. */
static inline bool cfg_is_unwound_landing(const struct coro_cfg *cfg, uint32_t node)
{
  return node >= cfg->unwound_start && node < cfg->unwound_end;
}
/* Whether instruction a dominates instruction b, or is the same. */
bool cfg_inst_dominates(const struct coro_cfg *cfg, uint32_t a, uint32_t b);
/* The nodes from which control leaves the presplit block: its last fragment, or, if that fragment is folded, its
   suspend and the suspend's landing. Returns the number (1 or 2). */
uint32_t cfg_exit_nodes_of_block(const struct coro_cfg *cfg, uint32_t block, uint32_t nodes[2]);
/* Whether the frame exists in the node: always in clones, after coro.begin in the ramp. */
static inline bool cfg_has_frame(const struct coro_cfg *cfg, unsigned clone_kind, uint32_t node)
{
  return clone_kind != CLONE_RAMP || (cfg->begin_node != IR_NONE && graph_dominates(&cfg->dom, cfg->begin_node, node));
}
/* Whether the function spills values into the frame in the node: the frame exists, and some path to the node has no
   suspend. After a suspend another thread may resume the coroutine and free the frame. */
static inline bool cfg_may_spill(const struct coro_cfg *cfg, unsigned clone_kind, uint32_t node)
{
  return cfg->nodes[node].owners & clone_kind && cfg_has_frame(cfg, clone_kind, node);
}
/* Whether the node consists of phis and a catchswitch, so nothing can be inserted. */
static inline bool cfg_is_catchswitch(const struct coro_cfg *cfg, const struct ir_fn *fn, uint32_t node)
{
  const struct cfg_node *n = &cfg->nodes[node];
  return !n->landing && !n->cut && fn->opcode[n->last - 1] == LLVMCatchSwitch;
}
/* Whether the function has an edge between the nodes. */
bool cfg_has_edge(const struct coro_cfg *cfg, uint32_t from, uint32_t to, unsigned clone_kind);

/* Enters the targets of a node's edges that one of these functions takes. */
static inline void cfg_enter_successors(const struct coro_cfg *cfg, struct worklist *nodes, uint32_t node,
                                        unsigned clone_kinds)
{
  for (uint32_t e = cfg->nodes[node].edge_start; e < cfg->nodes[node + 1].edge_start; e++)
    if (cfg->edges[e].clone_kinds & clone_kinds)
      worklist_enter(nodes, cfg->edges[e].to);
}
/* Enters everything that is reachable from the pending nodes along such edges: without passing a suspend, since no
   function takes the edge from a suspend to its landing. */
static inline void cfg_enter_reachable(const struct coro_cfg *cfg, struct worklist *nodes, unsigned clone_kinds)
{
  for (uint32_t n; worklist_take(nodes, &n);)
    cfg_enter_successors(cfg, nodes, n, clone_kinds);
}

/* A walk from an instruction along all edges, range of instructions by range. It enters each node at most once. */
struct cfg_walk {
  const struct coro_cfg *cfg;
  struct worklist nodes;
  uint32_t node, first, last; /* the current range: instructions [first, last) of the node */
};
/* False: out of memory. */
static inline bool cfg_walk_init(struct cfg_walk *walk, struct coro_arena *arena, const struct coro_cfg *cfg)
{
  walk->cfg = cfg;
  return worklist_init(&walk->nodes, arena, cfg->node_count);
}
/* Starts after the instruction. Nodes that earlier walks entered stay so until worklist_restart. */
static inline void cfg_walk_start(struct cfg_walk *walk, uint32_t inst)
{
  walk->nodes.next = walk->nodes.count;
  walk->node = cfg_node_of(walk->cfg, inst);
  walk->first = inst + 1;
  walk->last = walk->cfg->nodes[walk->node].last;
}
static inline void cfg_walk_enter_successors(struct cfg_walk *walk)
{
  const struct cfg_node *node = &walk->cfg->nodes[walk->node];
  for (uint32_t e = node->edge_start; e < node[1].edge_start; e++)
    worklist_enter(&walk->nodes, walk->cfg->edges[e].to);
}
/* Continues at the next entered node. False: there is none. */
static inline bool cfg_walk_next(struct cfg_walk *walk)
{
  if (!worklist_take(&walk->nodes, &walk->node))
    return false;
  walk->first = walk->cfg->nodes[walk->node].first;
  walk->last = walk->cfg->nodes[walk->node].last;
  return true;
}
