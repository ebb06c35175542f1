/* Converts parts of a pass tree to pass strings for LLVM. */
#include "pipeline/print_passes.h"

#include <string.h>

#include "guards/crashing_passes.h"

typedef CORO_VEC(char) text;

static bool append_pass_text(struct coro_arena *arena, text *to, const char *from)
{
  for (; *from; from++)
    if (!coro_vec_push(arena, to, *from))
      return false;
  return true;
}

static const char *finish_pass_text(struct coro_arena *arena, text *from)
{
  return coro_vec_push(arena, from, '\0') ? from->items : NULL;
}

static bool print_name_with_safe_parameter(struct coro_arena *arena, text *to, const char *name)
{
  const char *safe = crashing_pass_safe_parameter_or_null(name), *parameters = strchr(name, '<');
  if (!safe)
    return append_pass_text(arena, to, name);
  for (; *name && *name != '<'; name++)
    if (!coro_vec_push(arena, to, *name))
      return false;
  return append_pass_text(arena, to, "<") && append_pass_text(arena, to, safe) &&
         (parameters && parameters[1] != '>'
              ? append_pass_text(arena, to, ";") && append_pass_text(arena, to, parameters + 1)
              : append_pass_text(arena, to, ">"));
}

static bool print_pipeline_node(struct coro_arena *arena, text *to, const struct pass_node *node, bool safe)
{
  if (!(safe ? print_name_with_safe_parameter(arena, to, node->text) : append_pass_text(arena, to, node->text)))
    return false;
  for (const struct pass_node *child = node->first; child; child = child->next)
    if (!append_pass_text(arena, to, child == node->first ? "(" : ",") || !print_pipeline_node(arena, to, child, safe))
      return false;
  return !node->group || append_pass_text(arena, to, ")");
}

const struct pipeline_group pipeline_groups[] = {
    {"module", LEVEL_MODULE, LEVEL_MODULE},       {"coro-cond", LEVEL_MODULE, LEVEL_MODULE},
    {"cgscc", LEVEL_CGSCC, LEVEL_CGSCC},          {"devirt", LEVEL_CGSCC, LEVEL_CGSCC},
    {"function", LEVEL_FUNCTION, LEVEL_FUNCTION}, {NULL, LEVEL_MODULE, LEVEL_MODULE},
};

const char *const pipeline_level_names[] = {"module", "cgscc", "function"};

const char *pass_node_print_alone(struct coro_arena *arena, const struct pass_node *node, bool safe)
{
  text string = {0};
  return print_pipeline_node(arena, &string, node, safe) ? finish_pass_text(arena, &string) : NULL;
}

const char *pass_node_print(struct coro_arena *arena, const struct pass_node *first, const struct pass_node *end,
                            bool safe)
{
  text string = {0};
  CORO_VEC(const struct pass_node *) around = {0};
  bool fine = true;
  for (const struct pass_node *up = first->parent; up && up->parent; up = up->parent)
    fine = fine && (text_is_pass_name(up->text, "coro-cond") || coro_vec_push(arena, &around, up));
  for (uint32_t i = around.count; i-- > 0;)
    fine = fine && append_pass_text(arena, &string, around.items[i]->text) && append_pass_text(arena, &string, "(");
  for (const struct pass_node *node = first; node != end; node = node->next)
    fine = fine && (node == first || append_pass_text(arena, &string, ",")) &&
           print_pipeline_node(arena, &string, node, safe);
  for (uint32_t i = 0; i < around.count; i++)
    fine = fine && append_pass_text(arena, &string, ")");
  return fine ? finish_pass_text(arena, &string) : NULL;
}

static bool is_llvm_pass_in_range(const struct pass_node *node, uint32_t from, uint32_t to)
{
  return !node->group && node->pass == PASS_LLVM && node->number >= from && node->number < to;
}

bool pass_group_has_llvm_pass_in_range(const struct pass_node *node, uint32_t from, uint32_t to)
{
  bool found = is_llvm_pass_in_range(node, from, to);
  for (const struct pass_node *child = node->first; child && !found; child = child->next)
    found = pass_group_has_llvm_pass_in_range(child, from, to); /* depth is bounded by the parser */
  return found;
}

static bool print_nodes_in_range(struct coro_arena *arena, text *to, const struct pass_node *node, uint32_t from,
                                 uint32_t end, bool safe)
{
  if (!node->has_pycoro_pass)
    return print_pipeline_node(arena, to, node, safe);
  bool fine = append_pass_text(arena, to, node->text) && append_pass_text(arena, to, "("), any = false;
  for (const struct pass_node *child = node->first; child && fine; child = child->next) {
    if (!pass_group_has_llvm_pass_in_range(child, from, end))
      continue;
    fine = (!any || append_pass_text(arena, to, ",")) && print_nodes_in_range(arena, to, child, from, end, safe);
    any = true;
  }
  return fine && append_pass_text(arena, to, ")");
}

const char *pass_group_print_range(struct coro_arena *arena, const char *before, const struct pass_node *group,
                                   uint32_t from, uint32_t to, bool safe)
{
  text string = {0};
  bool fine = append_pass_text(arena, &string, before) && print_nodes_in_range(arena, &string, group, from, to, safe);
  return fine ? finish_pass_text(arena, &string) : NULL;
}

/* Prints a list with explicit adaptors. Within a group, or next to module passes, LLVM adapts a pass of a lower level
   itself. At the start of a string it does not, and takes the level of all passes from the first name. The explicit
   form is equivalent in both positions. */
static bool print_pass_list(struct coro_arena *arena, text *to, const struct pass_node *list, enum pass_level level,
                            bool expand)
{
  enum pass_level open = level; /* level of the adaptor opened for the last element */
  for (const struct pass_node *node = list->first; node; node = node->next) {
    enum pass_level own = node->pass == PASS_LLVM ? level : pass_node_ir_unit(node);
    if (open != level && open != own) {
      if (!append_pass_text(arena, to, ")"))
        return false;
      open = level;
    }
    if (node != list->first && !append_pass_text(arena, to, ","))
      return false;
    if (own > level && open == level &&
        (!append_pass_text(arena, to, pipeline_level_names[own]) || !append_pass_text(arena, to, "(")))
      return false;
    open = own > level ? own : level;
    enum pass_level inside = level;
    for (size_t i = 0; i < sizeof pipeline_groups / sizeof *pipeline_groups - 1; i++)
      if (text_is_pass_name(node->text, pipeline_groups[i].name))
        inside = pipeline_groups[i].inside;
    bool group = node->group && node->has_pycoro_pass, named = node->level && !expand;
    bool fine = named         ? append_pass_text(arena, to, node->level)
                : node->level ? print_pass_list(arena, to, node, LEVEL_MODULE, expand)
                : group       ? append_pass_text(arena, to, node->text) && append_pass_text(arena, to, "(") &&
                                    print_pass_list(arena, to, node, inside, expand) && append_pass_text(arena, to, ")")
                              : print_pipeline_node(arena, to, node, false);
    if (!fine)
      return false;
  }
  return open == level || append_pass_text(arena, to, ")");
}

const char *pass_tree_print_canonical(struct coro_arena *arena, const struct pass_node *root, bool expand)
{
  text string = {0};
  bool wrap = root->has_pycoro_pass && root->first->pass == PASS_LLVM && !root->first->group;
  bool fine = !wrap || append_pass_text(arena, &string, "module(");
  fine = fine && print_pass_list(arena, &string, root, LEVEL_MODULE, expand) &&
         (!wrap || append_pass_text(arena, &string, ")"));
  return fine ? finish_pass_text(arena, &string) : NULL;
}

const char *pass_string_with_noop_for_verify(struct coro_arena *arena, const char *passes)
{
  static const char verify[] = "verify";
  const size_t length = sizeof verify - 1;
  for (const char *at = strstr(passes, verify); at; at = strstr(at + 1, verify)) {
    bool begins = at == passes || strchr("(,", at[-1]), ends = !at[length] || strchr("),", at[length]);
    const char *rest = begins && ends ? pass_string_with_noop_for_verify(arena, at + length) : NULL;
    if (begins && ends)
      return rest ? coro_arena_printf(arena, "%.*sno-op-function%s", (int)(at - passes), passes, rest) : NULL;
  }
  return passes;
}
