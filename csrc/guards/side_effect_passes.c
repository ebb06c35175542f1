/* Rejects LLVM passes with side effects outside of the module: they write or read files, start programs, or print. */
#include "guards/side_effect_passes.h"

#include <string.h>

static const struct {
  const char *name;
  bool prefix; /* matches names with this prefix */
  const char *what;
} outward[] = {
#define LLVM_SIDE_EFFECT_PASS(name, prefix, what) {name, prefix, what},
#include "llvm_pass_properties.def"
};

static const char *side_effect_of_pass_or_null(const char *text)
{
  for (size_t i = 0; i < sizeof outward / sizeof *outward; i++)
    if (outward[i].prefix ? !strncmp(text, outward[i].name, strlen(outward[i].name))
                          : text_is_pass_name(text, outward[i].name))
      return outward[i].what;
  return NULL;
}

void side_effect_passes_report(struct pass_string *string, struct pass_node *node)
{
  const char *what = side_effect_of_pass_or_null(node->text);
  if (what)
    pass_node_add_error(string, node, coro_arena_printf(string->arena, "'%s' %s", node->text, what),
                        "remove it, or run it yourself if you trust its author");
  for (struct pass_node *child = node->first; child; child = child->next)
    side_effect_passes_report(string, child); /* depth is bounded by the parser */
}
