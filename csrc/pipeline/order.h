/* Which function calls which, and the order in which CGSCC passes visit them.
   Needs: graph, LLVM-C. Leaves: the functions that are asked about, callees before their callers; those that call each
   other in the order in which they were. */
#ifndef CORO_PIPELINE_ORDER_H
#define CORO_PIPELINE_ORDER_H

#include "graph/graph.h"
#include "pass/calls.h"

struct calls { /* all by the function's place in the list; taking a function's address counts as a call */
  pass_values functions;
  struct coro_map numbers; /* function -> its place */
  struct graph graph;      /* from caller to callee */
  struct graph_scc scc;    /* edges go from higher to lower components, so that ascending order is callees first */
  uint32_t *order;         /* places, callees first */
};

/* Those with a body, in module order. False, here and below: memory ran out. */
bool order_list(pass_values *functions, struct coro_arena *arena, LLVMModuleRef module);
/* The calls among these: what is reached over others is not seen, and what others cost is not paid. */
bool calls_find(struct calls *calls, struct coro_arena *arena, const pass_values *functions);
bool pass_order(struct pass_run *run, pass_values *functions);

#endif
