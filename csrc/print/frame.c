/* Prints the stages that lay out the frame.
   Requires: fields, reload_points, field_liveness, layout. Guarantees: the analyses do not change. */
#include <inttypes.h>

#include "print/print.h"

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
