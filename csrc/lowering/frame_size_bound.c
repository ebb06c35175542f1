/* Adds up the sizes of live fields at each position; see frame_size_bound.h. */
#include "lowering/frame_size_bound.h"

#include "lowering/lowering.h"

/* Maximal sum of sizes of fields live at one position, by a sweep over the ends of live ranges. Fields that are always
   live are added separately. */
static bool compute_max_live_bytes(struct coro_arena *arena, const struct coro_lowering *low, uint64_t *max_bytes)
{
  const struct coro_field_liveness *live = &low->field_liveness;
  uint64_t *changes = CORO_NEW_ARRAY(arena, uint64_t, live->position_count + 1), bytes = 0;
  *max_bytes = 0;
  if (!changes)
    return false;
  for (uint32_t f = 0; f < low->frame.field_count; f++)
    for (uint32_t r = live->start[f]; r < live->start[f + 1]; r++) {
      changes[live->ranges[r].first] += low->frame.fields[f].size;
      changes[live->ranges[r].end] -= low->frame.fields[f].size;
    }
  for (uint32_t position = 0; position < live->position_count; position++) {
    bytes += changes[position];
    *max_bytes = bytes > *max_bytes ? bytes : *max_bytes;
  }
  return true;
}

bool coro_frame_size_lower_bound(struct coro_arena *arena, const struct coro_lowering *low, uint64_t *bound)
{
  const struct coro_frame *frame = &low->frame;
  struct coro_arena_mark scratch = coro_arena_mark(arena);
  if (!compute_max_live_bytes(arena, low, bound))
    return false;
  coro_arena_rewind(arena, scratch);
  for (uint32_t f = 0; f < frame->field_count; f++)
    *bound += coro_bits_get(&low->field_liveness.always, f) ? frame->fields[f].size : 0;
  *bound = coro_frame_round_up_size(frame, *bound > frame->header.end ? *bound : frame->header.end);
  return true;
}
