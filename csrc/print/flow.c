/* Prints the stages that analyze a coroutine's intrinsics and control flow.
   Requires: number, shape, select_abi, cfg. Guarantees: the analyses do not change. */
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
