/* Prints the results of the lowering stages. */
#include "split/stages.h"

#include <string.h>

#include "print/print.h"

static const struct stage_printer printers[] = {
#define CORO_STAGE(name, needs, leaves) {STAGE_##name, #name, leaves, coro_##name##_print},
#define CORO_CHECK(name, needs, asks)
#define CORO_WORK(name, needs, leaves)
#include "lowering/stages.def"
};

enum { COUNT = sizeof printers / sizeof *printers };

const struct stage_printer *stage_printer_at_or_null(size_t index)
{
  return index < COUNT ? &printers[index] : NULL;
}

const struct stage_printer *stage_printer_of_name_or_null(const char *name)
{
  for (size_t i = 0; i < COUNT; i++)
    if (strcmp(printers[i].name, name) == 0)
      return &printers[i];
  return NULL;
}

const char *print_stage_to_text(const struct coro_lowering *low, const struct stage_printer *only)
{
  struct print p;
  if (!print_buffer_open(&p, low))
    return NULL;
  for (size_t i = 0; i < COUNT; i++) {
    if (only && only != &printers[i])
      continue;
    if (printers[i].stage > STAGE_shape && coro_does_nothing(low))
      break; /* the lowering ended at this stage */
    print_buffer_append(&p, "%s: %s\n", printers[i].name, printers[i].leaves);
    printers[i].print(&p);
  }
  return print_buffer_text(&p);
}
