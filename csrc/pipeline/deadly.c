/* Elements of pass strings that bring the process down in LLVM 22.
   Needs: parse. Leaves: nothing. */
#include "pipeline/deadly.h"

#include <string.h>

#define AMONG(name, list) pipe_is_among(name, list, sizeof list / sizeof *list)

static bool is_deadly(const char *name)
{
  static const char *const deadly[] = {
      "trigger-crash-module",  "trigger-crash-function", "trigger-verifier-error",
      "codegenprepare",        "select-optimize",        "unify-loop-exits",
      "free-machine-function", "function-import",        "ctx-prof-flatten-prethinlink",
  };
  return AMONG(name, deadly) || !strcmp(name, "print<ir2vec>") || !strcmp(name, "lint<abort-on-error>") ||
         (pipe_is_named(name, "instcombine") && strstr(name, "verify-fixpoint") && !strstr(name, "no-verify-fixpoint"));
}

/* LLVM makes a loop pipeline of a loop pass that stands alone, without the MemorySSA that these ask for. */
static bool lacks_memory_ssa(const struct pipe_node *node)
{
  static const char *const users[] = {"licm", "lnicm"};
  if (!AMONG(node->text, users))
    return false;
  for (const struct pipe_node *up = node->parent; up; up = up->parent)
    if (pipe_is_named(up->text, "loop-mssa"))
      return false;
  return true;
}

/* Sanitizers whose passes end the process on machines that they have no shadow memory for. */
static bool lacks_shadow(const char *name, const char *triple)
{
  static const struct {
    const char *pass, *arch, *os;
  } known[] = {
      {"msan", "x86_64", "linux"},    {"msan", "i386", "linux"},        {"msan", "i686", "linux"},
      {"msan", "aarch64", "linux"},   {"msan", "loongarch64", "linux"}, {"msan", "mips64", "linux"},
      {"msan", "powerpc64", "linux"}, {"msan", "s390x", "linux"},       {"msan", "x86_64", "freebsd"},
      {"msan", "aarch64", "freebsd"}, {"msan", "i386", "freebsd"},      {"msan", "x86_64", "netbsd"},
      {"dfsan", "x86_64", "linux"},   {"dfsan", "aarch64", "linux"},    {"dfsan", "loongarch64", "linux"},
  };
  if (!pipe_is_named(name, "msan") && !pipe_is_named(name, "dfsan"))
    return false;
  for (size_t i = 0; triple && i < sizeof known / sizeof *known; i++)
    if (pipe_is_named(name, known[i].pass) && !strncmp(triple, known[i].arch, strlen(known[i].arch)) &&
        strstr(triple, known[i].os))
      return false;
  return true;
}

const struct pipe_node *deadly_find(const struct pipe_node *node, const char *triple, const char **hint)
{
  *hint = is_deadly(node->text)              ? "leave it out"
          : lacks_memory_ssa(node)           ? "put it into loop-mssa(...)"
          : lacks_shadow(node->text, triple) ? "give the module the triple of a machine that the sanitizer is for"
                                             : NULL;
  const struct pipe_node *found = *hint ? node : NULL;
  for (const struct pipe_node *child = node->first; child && !found; child = child->next)
    found = deadly_find(child, triple, hint); /* the tree is at most as deep as the parser allows */
  return found;
}
