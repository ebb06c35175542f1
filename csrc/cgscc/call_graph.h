/* Call graph, and the order in which CGSCC passes visit functions: strongly connected components (SCCs) in postorder,
   so callees before callers; module order within an SCC.
   Requires: graph, LLVM-C. */
#pragma once

#include "graph/graph.h"
#include "run/intrinsic_calls.h"

struct call_graph { /* indexed by the function's position in the list; taking an address counts as a call */
  pass_values functions;
  struct coro_map numbers; /* function -> position */
  struct graph graph;      /* edges from caller to callee */
  struct graph_scc scc;    /* edges lead to lower components, so ascending order visits callees first */
  struct graph_groups by_component; /* positions by component, so callees first */
};

/* Lists the functions with a body, in module order. False, here and below: out of memory. */
bool list_defined_functions(pass_values *functions, struct coro_arena *arena, LLVMModuleRef module);
/* Builds the call graph of these functions only; calls through other functions are not followed. */
bool call_graph_build(struct call_graph *calls, struct coro_arena *arena, const pass_values *functions);
bool call_graph_order(struct pass_run *run, pass_values *functions);
