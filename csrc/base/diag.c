/* The list of diagnostics. */
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct coro_diags {
  struct coro_arena *arena; /* NULL while the list is empty */
  CORO_VEC(coro_diag) list;
};

coro_status coro_diags_create(coro_diags **out)
{
  if (!out)
    return CORO_EUSAGE;
  *out = calloc(1, sizeof **out);
  return *out ? CORO_OK : CORO_ENOMEM;
}

void coro_diags_clear(coro_diags *diags)
{
  if (!diags)
    return;
  coro_arena_free(diags->arena);
  memset(diags, 0, sizeof *diags);
}

void coro_diags_free(coro_diags *diags)
{
  if (diags)
    coro_diags_clear(diags);
  free(diags);
}

size_t coro_diags_count(const coro_diags *diags)
{
  return diags ? diags->list.count : 0;
}

const coro_diag *coro_diags_get(const coro_diags *diags, size_t index)
{
  return diags && index < diags->list.count ? &diags->list.items[index] : NULL;
}

/* Never NULL: if memory runs out the text is dropped but the diagnostic kept. */
static const char *copy_text_or_empty(struct coro_arena *arena, const char *text)
{
  const char *copy = text && *text ? coro_arena_strndup(arena, text, strlen(text)) : NULL;
  return copy ? copy : "";
}

coro_status coro_diags_add(coro_diags *diags, const coro_diag *diag)
{
  if (!diag)
    return CORO_EUSAGE;
  if (!diags)
    return diag->status;
  if (!diags->arena)
    diags->arena = coro_arena_create();
  if (!diags->arena)
    return diag->status;
  coro_diag copy = *diag;
  const char **texts[] = {&copy.rule,    &copy.function, &copy.block, &copy.instruction,
                          &copy.message, &copy.hint,     &copy.passes};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    *texts[i] = copy_text_or_empty(diags->arena, *texts[i]);
  (void)coro_vec_push(diags->arena, &diags->list, copy);
  return diag->status;
}
