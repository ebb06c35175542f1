/* Prints the stages that compute which values and allocas are live across suspends.
   Requires: crossing, frame_allocas, alloca_intrinsics, remat. Guarantees: the analyses do not change. */
#include <inttypes.h>

#include "print/print.h"

void coro_crossing_print(struct print *p)
{
  const struct coro_lowering *low = p->low;
  const struct coro_crossing *crossing = &low->crossing;
  for (uint32_t n = 0; n < low->cfg.node_count; n++)
    if (crossing->epoch[n] == n)
      print_buffer_append(p, "  a suspend epoch starts at %s\n", text_of_cfg_node(p, n));
  for (uint32_t v = 0; v < ir_value_count(&low->fn); v++) {
    if (!coro_bits_get(&crossing->live_across_suspend, v))
      continue;
    uint32_t def = coro_node_that_defines_value(&low->fn, &low->cfg, v), use = crossing->use_node[v];
    print_buffer_append(p, "  %s of %s is live at %s, used by %u: %s\n", text_of_value(p, v), text_of_cfg_node(p, def),
                        text_of_cfg_node(p, use), (unsigned)crossing->use[v], text_of_instruction(p, crossing->use[v]));
  }
}

void coro_frame_allocas_print(struct print *p)
{
  const struct coro_allocas *allocas = &p->low->allocas;
  for (uint32_t a = 0; a < allocas->count; a++) {
    const struct coro_alloca *item = &allocas->items[a];
    const char *place = item->heap ? "on the heap" : item->in_frame || item->spilled ? "in the frame" : "on the stack";
    print_buffer_append(p, "  %s, %" PRIu64 " bytes aligned to %" PRIu64 ", %s", text_of_value(p, item->value),
                        item->size, item->align, place);
    if (item->heap || item->in_frame || item->spilled)
      print_buffer_append(p, ": %s", item->why);
    print_buffer_append(p, "\n");
    if (item->copy_in)
      print_buffer_append(p, "    its contents at llvm.coro.begin are copied to the frame\n");
    if (item->escapes)
      print_buffer_append(p, "    its address escapes\n");
  }
  for (uint32_t v = 0; v < ir_value_count(&p->low->fn); v++)
    if (coro_bits_get(&allocas->rematerialized_aliases, v))
      print_buffer_append(p, "  %s is recomputed from the frame's address\n", text_of_value(p, v));
}

void coro_alloca_intrinsics_print(struct print *p)
{
  const struct coro_lowering *low = p->low;
  for (uint32_t i = 0; i < low->fn.inst_count; i++)
    if (low->shape.intrin[i] == INTRIN_ALLOCA_ALLOC)
      print_buffer_append(p, "  %s %s\n", text_of_value(p, ir_value_of_inst(&low->fn, i)),
                          !coro_bits_get(&low->alloca_intrinsics.outlives, i) ? "on the stack"
                          : low->alloca_intrinsics.list                       ? "on the heap"
                                                                              : "from the allocator");
}

void coro_remat_print(struct print *p)
{
  const struct coro_remat *remat = &p->low->remat;
  for (uint32_t v = 0; v < ir_value_count(&p->low->fn); v++)
    if (coro_bits_get(&remat->rematerialized, v) || coro_bits_get(&remat->spilled, v))
      print_buffer_append(p, "  %s is %s\n", text_of_value(p, v),
                          coro_bits_get(&remat->rematerialized, v) ? "rematerialized" : "spilled");
}
