/* Dominance of addresses by their alloca; see repeated_alloca.h. */
#include "check/repeated_alloca.h"

#include "check/verdict.h"
#include "graph/graph.h"
#include "ir/number.h"

bool repeated_alloca_has_one_place(const struct check *c, const struct check_memory *memory)
{
  uint32_t made = ir_inst_of_value(&c->low->fn, memory->value);
  return made != IR_NONE && c->low->fn.inst_block[made] && c->low->fn.opcode[made] == LLVMAlloca &&
         memory->places & (PLACE_IN_FRAME | PLACE_SHARED_BY_ALL);
}

static bool build_presplit_graph_once(struct check *c, struct repeated_allocas *allocas)
{
  if (!allocas->built)
    allocas->built = ir_build_block_graph(&allocas->graph, c->arena, &c->low->fn) &&
                     graph_compute_reverse_postorder(&allocas->rpo, c->arena, &allocas->graph, 0) &&
                     graph_compute_dominators(&allocas->dom, c->arena, &allocas->graph, &allocas->rpo) &&
                     graph_strongly_connected_components(&allocas->scc, c->arena, &allocas->graph);
  return allocas->built;
}

/* An address that the alloca dominates is computed again after each execution of the alloca, before it is used. The
   alloca dominates all instructions that compute addresses from it, except phis. It is never executed again after a phi
   that is on no common cycle with it. */
bool repeated_alloca_check_no_phi_keeps_address(struct check *c, struct repeated_allocas *allocas,
                                                const struct check_memory *memory, const struct memory_uses *uses)
{
  const struct ir_fn *fn = &c->low->fn;
  uint32_t block = fn->inst_block[ir_inst_of_value(fn, memory->value)];
  if (!build_presplit_graph_once(c, allocas))
    return false;
  for (uint32_t d = 0; d < uses->derived.count; d++) {
    uint32_t inst = ir_inst_of_value(fn, uses->derived.items[d]), in = fn->inst_block[inst];
    bool own = in != block && graph_dominates(&allocas->dom, block, in);
    if (fn->opcode[inst] == LLVMPHI && !own && graph_on_common_cycle(&allocas->scc, block, in))
      return check_unsupported(c, "an alloca in a loop with one place, whose address a phi may keep for the next "
                                  "iteration");
  }
  return true;
}
