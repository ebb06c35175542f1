/* Prefix sums over live ranges, and the instructions between a save and its suspend. */
#include "lowering/suspend_info.h"

#include "ir/edit.h"

/* Prefix sums over the ends of live ranges. The entry after the last suspend is unused. */
bool suspends_set_live_bytes_and_counts(struct coro_arena *arena, const coro_coroutine_info *info,
                                        coro_suspend_info *suspends)
{
  size_t count = info->suspend_count;
  struct {
    uint64_t bytes;
    uint32_t fields;
  } *changes = coro_arena_zalloc(arena, count + 1, sizeof *changes);
  if (!changes)
    return false;
  for (size_t f = 0; f < info->field_count; f++)
    for (size_t r = 0; r < info->fields[f].live_count; r++) {
      coro_suspend_range range = info->fields[f].live[r];
      changes[range.first].bytes += info->fields[f].size;
      changes[range.first].fields++;
      changes[range.end].bytes -= info->fields[f].size;
      changes[range.end].fields--;
    }
  for (size_t k = 0; k < count; k++) {
    suspends[k].live_bytes = changes[k].bytes + (k ? suspends[k - 1].live_bytes : 0);
    suspends[k].live_count = changes[k].fields + (k ? suspends[k - 1].live_count : 0);
  }
  return true;
}

bool suspend_is_saved_before_call_or_block_end(const struct ir_fn *fn, const struct coro_suspend *suspend)
{
  if (suspend->save == IR_NONE)
    return false;
  bool apart = ir_block_of(fn, suspend->save) != ir_block_of(fn, suspend->inst);
  for (uint32_t i = suspend->save + 1; !apart && i < suspend->inst; i++)
    apart = edit_is_call(fn->insts[i]);
  return apart;
}
