/* Passes of LLVM 22 that do more than change the module: they write or read files, start programs, or print.
   Needs: parse. Leaves: nothing. */
#include "pipeline/outward.h"

#include <string.h>

static const struct {
  const char *name;
  bool prefix; /* whatever begins so */
  const char *what;
} outward[] = {
    {"dot-", true, "writes files into the working directory"},
    {"view-", true, "writes files and starts a program that shows them"},
    {"print", true, "prints"},
    {"write", true, "writes files"},
    {"insert-gcov-profiling", false, "writes files of coverage notes"},
    {"helloworld", false, "prints"},
    {"aa-eval", false, "prints"},
    {"pa-eval", false, "prints"},
    {"lint", false, "prints"},
    {"check-debugify", false, "prints"},
    {"opt-remark-emit", false, "prints"},
    {"rewrite-symbols", false, "reads files that options name"},
    {"sample-profile", false, "reads a file of profiles"},
    {"memprof-use", false, "reads a file of profiles"},
    {"pgo-instr-use", false, "reads a file of profiles"},
    {"bb-sections-profile-reader", false, "reads a file of profiles"},
    {"function-import", false, "reads files of summaries"},
    {"extract-blocks", false, "reads a file that options name"},
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
