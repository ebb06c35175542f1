/* Prints the stages that analyze a coroutine's intrinsics and control flow.
   Requires: number, shape, select_abi, cfg. Guarantees: the analyses do not change. */
#include <inttypes.h>

#include "lowering/abi.h"
#include "print/print.h"

void coro_number_print(struct print *p)
{
  const struct ir_fn *fn = &p->low->fn;
  for (uint32_t b = 0; b < fn->block_count; b++) {
    print_buffer_append(p, "  %s\n", text_of_block(p, b));
    for (uint32_t i = fn->block_start[b]; i < fn->block_start[b + 1]; i++)
      print_buffer_append(p, "    %u: %s\n", (unsigned)i, text_of_instruction(p, i));
  }
}

static void print_intrinsic_role(struct print *p, const char *role, uint32_t inst)
{
  if (inst != IR_NONE)
    print_buffer_append(p, "  %-8s %u: %s\n", role, (unsigned)inst, text_of_instruction(p, inst));
}

void coro_shape_print(struct print *p)
{
  const struct coro_shape *shape = &p->low->shape;
  print_intrinsic_role(p, "id", shape->id);
  print_intrinsic_role(p, "begin", shape->begin);
  for (uint32_t k = 0; k < shape->suspend_count; k++) {
    print_intrinsic_role(p, "save", shape->suspends[k].save);
    print_intrinsic_role(p,
                         shape->suspends[k].final       ? "final"
                         : coro_is_unwound_at(shape, k) ? "unwound"
                                                        : "suspend",
                         shape->suspends[k].inst);
  }
  for (uint32_t e = 0; e < shape->ends.count; e++)
    print_intrinsic_role(p, "end", shape->ends.items[e]);
  if (shape->error != IR_NONE)
    print_buffer_append(p, "  %-8s %s\n", "error", text_of_value(p, shape->error));
}

void coro_select_abi_print(struct print *p)
{
  const struct coro_lowering *low = p->low;
  if (low->abi->policies.name)
    print_buffer_append(p, "  %s, on ", low->abi->policies.name);
  print_buffer_append(p, "%s%s\n", low->abi->policies.name ? "" : "  ", low->abi->name);
  if (low->frame_argument != IR_NONE)
    print_buffer_append(p, "  every clone has %s\n", text_of_value(p, low->frame_argument));
  if (low->passes_error)
    print_buffer_append(p, "  every clone is passed a swifterror\n");
}

static void print_set_of_clone_kinds(struct print *p, unsigned clone_kinds)
{
  static const struct {
    unsigned kind;
    const char *name;
  } names[] = {{CLONE_RAMP, "ramp"}, {CLONE_RESUME, "resume"}, {CLONE_DESTROY, "destroy"}, {CLONE_CLEANUP, "cleanup"}};
  if (clone_kinds == CLONE_ALL)
    print_buffer_append(p, "all");
  else if (clone_kinds == CLONE_ALL_BUT_RAMP)
    print_buffer_append(p, "clones");
  else
    for (size_t i = 0, any = 0; i < sizeof names / sizeof *names; i++)
      if (clone_kinds & names[i].kind)
        print_buffer_append(p, "%s%s", any++ ? " " : "", names[i].name);
}

void coro_cfg_print(struct print *p)
{
  const struct coro_cfg *cfg = &p->low->cfg;
  for (uint32_t n = 0; n < cfg->node_count; n++) {
    const struct cfg_node *node = &cfg->nodes[n];
    print_buffer_append(p, "  %s", text_of_cfg_node(p, n));
    if (!node->landing)
      print_buffer_append(p, " [%u, %u)", (unsigned)node->first, (unsigned)node->last);
    print_buffer_append(p, node->folded ? " folded" : " in ");
    print_set_of_clone_kinds(p, node->clone_kinds);
    print_buffer_append(p, "\n");
    for (uint32_t e = node->edge_start; e < cfg->nodes[n + 1].edge_start; e++) {
      print_buffer_append(p, "    to %s in ", text_of_cfg_node(p, cfg->edges[e].to));
      if (cfg->edges[e].clone_kinds)
        print_set_of_clone_kinds(p, cfg->edges[e].clone_kinds);
      else
        print_buffer_append(p, cfg->nodes[cfg->edges[e].to].landing ? "none, while suspended" : "none");
      print_buffer_append(p, "\n");
    }
  }
}

/* ---- Values and allocas that are live across suspends ---- */

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

/* ---- The frame ---- */

void coro_fields_print(struct print *p)
{
  const struct coro_frame *frame = &p->low->frame;
  for (uint32_t f = 0; f < frame->field_count; f++) {
    const struct coro_field *field = &frame->fields[f];
    print_buffer_append(p, "  %u: %s, %" PRIu64 " bytes aligned to %" PRIu64 "%s\n", (unsigned)f,
                        text_of_frame_field(p, f), field->size, field->align,
                        f < frame->header.count ? ", in the header" : "");
    if (field->realign)
      print_buffer_append(p, "    the alloca is aligned to %" PRIu64 " within them\n", field->realign);
  }
}

void coro_reload_points_print(struct print *p)
{
  static const char *const clone_names[CORO_RELOAD_CLONE_KINDS] = {"resume", "destroy", "cleanup"};
  const struct coro_lowering *low = p->low;
  for (uint32_t i = 0; i < low->reload_points.items.count; i++) {
    const struct coro_reload *read = &low->reload_points.items.items[i];
    for (unsigned r = 0; r < CORO_RELOAD_CLONE_KINDS && coro_field_of(&low->frame, read->value) != IR_NONE; r++)
      if (read->at[r] != IR_NONE)
        print_buffer_append(p, "  %s is reloaded in %s at %s%s%s\n", text_of_value(p, read->value), clone_names[r],
                            text_of_cfg_node(p, read->at[r]), read->at[r] == read->region ? "" : ", of the region ",
                            read->at[r] == read->region ? "" : text_of_cfg_node(p, read->region));
  }
}

/* The first positions are the suspends, in order. */
void coro_field_liveness_print(struct print *p)
{
  const struct coro_field_liveness *live = &p->low->field_liveness;
  uint32_t suspends = p->low->shape.suspend_count;
  for (uint32_t f = 0; live->start && f < p->low->frame.field_count; f++) {
    print_buffer_append(p, "  %s ", text_of_frame_field(p, f));
    if (coro_bits_get(&live->always, f)) {
      print_buffer_append(p, "always\n");
      continue;
    }
    print_buffer_append(p, "at suspends");
    for (uint32_t r = live->start[f]; r < live->start[f + 1]; r++)
      for (uint32_t k = live->ranges[r].first; k < live->ranges[r].end && k < suspends; k++)
        print_buffer_append(p, " %u", (unsigned)k);
    print_buffer_append(p, "; at positions");
    for (uint32_t r = live->start[f]; r < live->start[f + 1]; r++)
      print_buffer_append(p, " [%u, %u)", (unsigned)live->ranges[r].first, (unsigned)live->ranges[r].end);
    print_buffer_append(p, "\n");
  }
}

void coro_layout_print(struct print *p)
{
  const struct coro_frame *frame = &p->low->frame;
  const uint32_t *order = coro_frame_indices_by_offset(p->arena, frame);
  for (uint32_t i = 0; order && i < frame->field_count; i++) {
    const struct coro_field *field = &frame->fields[order[i]];
    print_buffer_append(p, "  [%" PRIu64 ", %" PRIu64 ") %s\n", field->offset, field->offset + field->size,
                        text_of_frame_field(p, order[i]));
  }
  print_buffer_append(p, "  %" PRIu64 " bytes aligned to %" PRIu64 "\n", frame->size, frame->align);
}
