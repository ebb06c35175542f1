/* Pass string elements that terminate the process in LLVM. */
#include "guards/crashing_passes.h"

#include <string.h>

#define AMONG(name, list) text_is_among_pass_names(name, list, sizeof list / sizeof *list)

struct fixpoint {
  const char *name, *condition, *safe_parameter;
};

/* The fixpoint check (such as verify-fixpoint of instcombine) that the element enables because it does not disable it;
   NULL: none. */
static const struct fixpoint *fixpoint_check_enabled_or_null(const char *name)
{
  static const struct fixpoint known[] = {
#define LLVM_FIXPOINT(pass, condition, safe_parameter) {pass, condition, safe_parameter},
#include "llvm_pass_properties.def"
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (text_is_pass_name(name, known[i].name) && !strstr(name, known[i].safe_parameter))
      return &known[i];
  return NULL;
}

const char *crashing_pass_safe_parameter_or_null(const char *name)
{
  const struct fixpoint *fixpoint = fixpoint_check_enabled_or_null(name);
  return fixpoint ? fixpoint->safe_parameter : NULL;
}

static bool is_pass_with_known_crash(const char *name)
{
  static const char *const crashing[] = {
#define LLVM_CRASHING_PASS(pass) pass,
#include "llvm_pass_properties.def"
  };
  const struct fixpoint *fixpoint = fixpoint_check_enabled_or_null(name);
  return AMONG(name, crashing) || (fixpoint && strstr(name, fixpoint->condition));
}

static bool is_memory_ssa_pass_outside_loop_mssa(const struct pass_node *node)
{
  static const char *const users[] = {
#define LLVM_IN_MEMORY_SSA(name) name,
#include "llvm_pass_properties.def"
  };
  if (!AMONG(node->text, users))
    return false;
  for (const struct pass_node *up = node->parent; up; up = up->parent)
    if (text_is_pass_name(up->text, "loop-mssa"))
      return false;
  return true;
}

static bool is_sanitizer_unsupported_by_target(const char *name, const char *triple)
{
  static const struct {
    const char *pass, *arch, *os;
  } known[] = {
#define LLVM_SHADOW_MEMORY(pass, arch, os) {pass, arch, os},
#include "llvm_pass_properties.def"
  };
  bool sanitizer = false;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!text_is_pass_name(name, known[i].pass))
      continue;
    sanitizer = true;
    if (triple && !strncmp(triple, known[i].arch, strlen(known[i].arch)) && strstr(triple, known[i].os))
      return false;
  }
  return sanitizer;
}

const char *crashing_pass_hint_or_null_if_safe(const struct pass_node *node, const char *triple)
{
  return is_pass_with_known_crash(node->text)         ? "remove it"
         : is_memory_ssa_pass_outside_loop_mssa(node) ? "put it into loop-mssa(...)"
         : is_sanitizer_unsupported_by_target(node->text, triple)
             ? "use the triple of a target that the sanitizer supports"
             : NULL;
}
