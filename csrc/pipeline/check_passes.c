/* Checks LLVM's part of a pass string by letting LLVM parse it.
   Requires: plan.
   Guarantees: no pass runs. */
#include <string.h>

#include "base/nearest_name.h"
#include "grammar/level.h"
#include "ir/target.h"
#include "llvm-c/Error.h"
#include "llvm-c/Transforms/PassBuilder.h"
#include "llvm_version.h"
#include "pipeline/pipeline.h"
#include "pipeline/print_passes.h"

enum name_level { NAME_MODULE, NAME_CGSCC, NAME_FUNCTION, NAME_LOOP };

static const struct {
  const char *name;
  enum name_level level;
} llvms[] = {
#define LLVM_PASS_NAME(level, name) {name, NAME_##level},
#include "llvm_pass_names.def"
};
enum { LLVMS = sizeof llvms / sizeof *llvms };

struct checker {
  struct pass_string *string;
  LLVMModuleRef scratch; /* an empty module */
  LLVMTargetMachineRef machine;
};

static const char *nearest_pass_name(struct checker *c, const char *text)
{
  size_t callers = c->string->clients.count, count = 0;
  const char **names = CORO_NEW_ARRAY(c->string->arena, const char *, PASS_COUNT + callers + LLVMS);
  if (!names)
    return NULL;
  for (int i = 0; i < PASS_COUNT; i++)
    names[count++] = pass_table[i].name;
  for (size_t i = 0; i < callers; i++)
    names[count++] = c->string->clients.passes[i].name;
  for (size_t i = 0; i < LLVMS; i++)
    names[count++] = llvms[i].name;
  const char *level = coro_arena_printf(c->string->arena, "default<%s>", text + strspn(text, "-"));
  if (level && level_pass_string_or_null(c->string->arena, level))
    return level;
  return nearest_name_by_edit_distance(text, strcspn(text, "<"), names, count);
}

static const char *hint_for_unknown_pass(struct checker *c, const struct pass_node *node)
{
  static const char *const levels[] = {
      [NAME_MODULE] = "it is a module pass: move it out of its group",
      [NAME_CGSCC] = "it is a CGSCC pass: put it into cgscc(...)",
      [NAME_FUNCTION] = "it is a function pass: put it into function(...)",
      [NAME_LOOP] = "it is a loop pass: put it into loop(...) or loop-mssa(...)",
  };
  const char *known = node->group ? "move it out of its group" : NULL;
  for (size_t i = 0; i < LLVMS && !known; i++)
    if (text_is_pass_name(node->text, llvms[i].name))
      known = levels[llvms[i].level];
  if (known)
    return strchr(node->text, '<') ? "see `" LLVM_PROGRAM("opt") " --print-passes` for its level and its parameters"
                                   : known;
  const char *meant = nearest_pass_name(c, node->text);
  const char *hint = meant ? coro_arena_printf(c->string->arena, "did you mean %s?", meant) : NULL;
  return hint ? hint : "see `" LLVM_PROGRAM("opt") " --print-passes` for the names that LLVM knows";
}

/* LLVM's error message for the elements; NULL if it accepts them, or out of memory. */
static char *parse_error_of_llvm(struct checker *c, const struct pass_node *first, const struct pass_node *end)
{
  /* In a module without coroutine intrinsics, coro-cond parses the string but runs nothing. */
  const char *safe = pass_node_print(c->string->arena, first, end, true);
  const char *string = safe ? coro_arena_printf(c->string->arena, "coro-cond(%s)", safe) : NULL;
  if (!string)
    return NULL;
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(c->scratch, string, c->machine, options);
  LLVMDisposePassBuilderOptions(options);
  return error ? LLVMGetErrorMessage(error) : NULL;
}

/* Finds the element that LLVM's message quotes: the element itself, or a group around it. */
static struct pass_node *enclosing_element_quoted_by_llvm_or_itself(struct pass_node *node, const char *message)
{
  const char *open = strchr(message, '\''), *close = open ? strchr(open + 1, '\'') : NULL;
  size_t length = close ? (size_t)(close - open) - 1 : 0;
  for (struct pass_node *up = node; up->parent; up = up->parent)
    if (length && strcspn(up->text, "<") == length && !memcmp(up->text, open + 1, length))
      return up;
  return node;
}

/* LLVM only reports the first error. Checks each element alone, and a group if its elements are correct. */
static void check_elements_with_llvm(struct checker *c, struct pass_node *first, const struct pass_node *end)
{
  for (struct pass_node *node = first; node != end; node = node->next) {
    char *message = node->wrong ? NULL : parse_error_of_llvm(c, node, node->next);
    if (!message)
      continue;
    uint32_t before = c->string->problems.count;
    check_elements_with_llvm(c, node->first, NULL); /* depth is bounded by the parser */
    struct pass_node *meant = enclosing_element_quoted_by_llvm_or_itself(node, message);
    if (c->string->problems.count == before && !meant->wrong)
      pass_node_add_error(c->string, meant, coro_arena_printf(c->string->arena, "LLVM: %s", message),
                          hint_for_unknown_pass(c, meant));
    LLVMDisposeErrorMessage(message);
  }
}

/* Checks a group that mixes LLVM's passes with others, which LLVM does not know. */
static void check_group_of_mixed_passes(struct checker *c, struct pass_node *group)
{
  for (struct pass_node *node = group->first; node; node = node->next)
    if (!node->has_pycoro_pass)
      check_elements_with_llvm(c, node, node->next);
    else
      check_group_of_mixed_passes(c, node); /* depth is bounded by the parser */
}

static void check_step_of_plan(struct checker *c, const struct pipeline_step *step)
{
  if (step->group) {
    check_group_of_mixed_passes(c, step->group);
    return;
  }
  char *message = step->first->wrong ? NULL : parse_error_of_llvm(c, step->first, step->end);
  if (message)
    check_elements_with_llvm(c, step->first, step->end);
  LLVMDisposeErrorMessage(message);
}

/* Whether LLVM has to parse the step: it has passes of LLVM, not those of an optimization level, which are correct. */
static bool must_llvm_parse_step(const struct pipeline_step *step)
{
  return step->kind == STEP_LLVM && !pass_node_is_in_optimization_level(step->group ? step->group : step->first);
}

void pipeline_check_llvm_passes(const struct pipeline_plan *plan, struct pass_string *string)
{
  bool any = false;
  for (uint32_t i = 0; i < plan->steps.count; i++)
    any |= must_llvm_parse_step(&plan->steps.items[i]);
  if (!any)
    return;
  LLVMContextRef context = LLVMContextCreate();
  struct checker c = {string, LLVMModuleCreateWithNameInContext("pass-string", context),
                      target_machine_of_triple_or_null(string->triple)};
  for (uint32_t i = 0; i < plan->steps.count; i++)
    if (must_llvm_parse_step(&plan->steps.items[i]))
      check_step_of_plan(&c, &plan->steps.items[i]);
  if (c.machine)
    LLVMDisposeTargetMachine(c.machine);
  LLVMDisposeModule(c.scratch);
  LLVMContextDispose(context);
}
