/* Checks that addresses of the frame do not escape from a clone. */
#include "check/private_frame.h"

#include "check/begin.h"
#include "check/memory_uses.h"
#include "check/verdict.h"
#include "ir/edit.h"
#include "lowering/abi.h"

/* A clone whose frame is noalias; NULL: none. */
static const struct check_clone *clone_with_noalias_frame_or_null(const struct check *c)
{
  for (uint32_t n = 0; n < c->clone_count; n++)
    if (c->clones[n]->from->clone_kind != CLONE_RAMP && edit_has_attribute(c->clones[n]->from->function, 1, "noalias"))
      return c->clones[n];
  return NULL;
}

static bool has_no_escaping_or_spilled_address(struct check *c, uint32_t memory)
{
  struct memory_uses uses = {0};
  bool shared = !memory_uses_find(c, memory, &uses);
  for (uint32_t i = 0; i < uses.items.count; i++)
    shared |= (uses.items.items[i].effects & MEMORY_ESCAPES) != 0;
  for (uint32_t d = 0; d < uses.derived.count; d++)
    shared |= coro_map_has(&c->exported_values, (uint64_t)uses.derived.items[d] + 1);
  return !shared;
}

bool private_frame_check_if_noalias_buffer(struct check *c)
{
  bool in_buffer = c->low->abi->end_frees_frame && begin_frame_is_in_buffer(c);
  const struct check_clone *k = in_buffer ? clone_with_noalias_frame_or_null(c) : NULL; /* other frames are in memory of
                                                                                        their own */
  if (k && c->hooks)
    return check_refute(c, k, NULL, "its frame is noalias, but hooks know the frame's address");
  for (uint32_t i = 0; i < c->memories.count && k; i++)
    if (c->memories.items[i].places & PLACE_IN_FRAME &&
        !has_no_escaping_or_spilled_address(c, c->memories.items[i].value))
      return check_refute(c, k, NULL, "its frame is noalias, but the address of '%s' escapes",
                          presplit_value_text_for_message(c, c->memories.items[i].value));
  return true;
}
