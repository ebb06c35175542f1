/* Passes of LLVM 22 that do more than change the module: they write or read files, start programs, or print.
   Needs: parse. Leaves: nothing. */
#include "pipeline/outward.h"

#include <string.h>

static const struct {
  const char *name;
  bool prefix; /* whatever begins so */
  const char *what;
} outward[] = {
#define LLVM_OUTWARD(name, prefix, what) {name, prefix, what},
#include "facts/passes.def"
};

static const char *told(const char *text)
{
  for (size_t i = 0; i < sizeof outward / sizeof *outward; i++)
    if (outward[i].prefix ? !strncmp(text, outward[i].name, strlen(outward[i].name))
                          : pipe_is_named(text, outward[i].name))
      return outward[i].what;
  return NULL;
}

const struct pipe_node *outward_find(const struct pipe_node *node, const char **what)
{
  *what = node->text ? told(node->text) : NULL;
  const struct pipe_node *found = *what ? node : NULL;
  for (const struct pipe_node *child = node->first; child && !found; child = child->next)
    found = outward_find(child, what); /* the tree is at most as deep as the parser allows */
  return found;
}
