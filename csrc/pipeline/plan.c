/* Planning: a pass string as the list of what is to be run, pycoro's own passes and LLVM's in between.
   Needs: parse. Leaves: steps in the arena. */
#include "pipeline/plan.h"

#include <string.h>

#include "pipeline/deadly.h"

struct planner {
  struct coro_arena *arena;
  struct pipe_string *string;
  struct pipe_plan *plan;
};

typedef CORO_VEC(char) text;

static bool append(struct planner *p, text *to, const char *from)
{
  for (; *from; from++)
    if (!coro_vec_push(p->arena, to, *from))
      return false;
  return true;
}

static const char *finish(struct planner *p, text *from)
{
  return coro_vec_push(p->arena, from, '\0') ? from->items : NULL;
}

#define AMONG(name, list) pipe_is_among(name, list, sizeof list / sizeof *list)

/* LLVM's names for whole pipelines that its coroutine passes are part of. */
static bool is_alias(const char *name)
{
  static const char *const aliases[] = {
#define LLVM_PIPELINE(name) name,
#include "facts/passes.def"
  };
  return AMONG(name, aliases);
}

/* The first element in the subtree that is so named, or NULL. The tree is at most as deep as the parser allows. */
static const struct pipe_node *find(const struct pipe_node *node, bool (*is)(const char *name))
{
  const struct pipe_node *found = is(node->text) ? node : NULL;
  for (const struct pipe_node *child = node->first; child && !found; child = child->next)
    found = find(child, is);
  return found;
}

static bool print_safe_name(struct planner *p, text *to, const char *name)
{
  const char *tame = deadly_tame(name), *parameters = strchr(name, '<');
  if (!tame)
    return append(p, to, name);
  for (; *name && *name != '<'; name++)
    if (!coro_vec_push(p->arena, to, *name))
      return false;
  return append(p, to, "<") && append(p, to, tame) &&
         (parameters && parameters[1] != '>' ? append(p, to, ";") && append(p, to, parameters + 1)
                                             : append(p, to, ">"));
}

static bool print_node(struct planner *p, text *to, const struct pipe_node *node, bool safe)
{
  if (!(safe ? print_safe_name(p, to, node->text) : append(p, to, node->text)))
    return false;
  for (const struct pipe_node *child = node->first; child; child = child->next)
    if (!append(p, to, child == node->first ? "(" : ",") || !print_node(p, to, child, safe))
      return false;
  return !node->group || append(p, to, ")");
}

/* What pycoro's passes may be wrapped in, and the level on which such a group runs what it holds. */
static const struct {
  const char *name;
  enum pass_level outermost, inside;
} groups[] = {
    {"module", LEVEL_MODULE, LEVEL_MODULE},       {"coro-cond", LEVEL_MODULE, LEVEL_MODULE},
    {"cgscc", LEVEL_CGSCC, LEVEL_CGSCC},          {"devirt", LEVEL_CGSCC, LEVEL_CGSCC},
    {"function", LEVEL_FUNCTION, LEVEL_FUNCTION},
};

static const char *const level_names[] = {"module", "cgscc", "function"};

/* The level on which a group runs what it holds. */
static enum pass_level group_level(struct planner *p, struct pipe_node *node, enum pass_level outside)
{
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    if (!pipe_is_named(node->text, groups[i].name))
      continue;
    if (groups[i].outermost < outside)
      pipe_wrong_node(
          p->string, node,
          coro_arena_printf(p->arena, "'%s(...)' cannot stand inside a %s pipeline", node->text, level_names[outside]),
          "move it out of the group that it stands in");
    return groups[i].inside;
  }
  pipe_wrong_node(p->string, node,
                  coro_arena_printf(p->arena, "'%s(...)' cannot hold passes that LLVM does not run", node->text),
                  "put them in module(...), cgscc(...), function(...) or coro-cond(...)");
  return outside;
}

static struct pipe_step *add_step(struct planner *p, enum step_kind kind, uint32_t at)
{
  struct pipe_step step = {.kind = kind, .at = at};
  return coro_vec_push(p->arena, &p->plan->steps, step) ? &p->plan->steps.items[p->plan->steps.count - 1] : NULL;
}

const char *pipe_spell(struct coro_arena *arena, const struct pipe_node *first, const struct pipe_node *end, bool safe)
{
  struct planner p = {.arena = arena};
  text string = {0};
  CORO_VEC(const struct pipe_node *) around = {0};
  bool fine = true;
  for (const struct pipe_node *up = first->parent; up && up->parent; up = up->parent)
    fine = fine && (pipe_is_named(up->text, "coro-cond") || coro_vec_push(arena, &around, up));
  for (uint32_t i = around.count; i-- > 0;)
    fine = fine && append(&p, &string, around.items[i]->text) && append(&p, &string, "(");
  for (const struct pipe_node *node = first; node != end; node = node->next)
    fine = fine && (node == first || append(&p, &string, ",")) && print_node(&p, &string, node, safe);
  for (uint32_t i = 0; i < around.count; i++)
    fine = fine && append(&p, &string, ")");
  return fine ? finish(&p, &string) : NULL;
}

/* Every such element is told of, each with what is to be done instead. */
static void check_deadly(struct planner *p, struct pipe_node *node)
{
  const char *hint = deadly_hint(node, p->string->triple);
  if (hint)
    pipe_wrong_node(
        p->string, node,
        coro_arena_printf(p->arena, "LLVM 22 brings the process down in '%s' when a pass string runs it", node->text),
        hint);
  for (struct pipe_node *child = node->first; child; child = child->next)
    check_deadly(p, child); /* the tree is at most as deep as the parser allows */
}

static bool add_llvm(struct planner *p, struct pipe_node *first, const struct pipe_node *end, bool follows)
{
  struct pipe_step *step = add_step(p, STEP_LLVM, first->at);
  if (!step)
    return false;
  for (struct pipe_node *node = first; node != end; node = node->next) {
    check_deadly(p, node);
    step->alias |= find(node, is_alias) != NULL;
  }
  step->first = first;
  step->end = end;
  step->follows = follows;
  step->llvm = pipe_spell(p->arena, first, end, false);
  step->safe = pipe_spell(p->arena, first, end, true);
  return step->llvm && step->safe;
}

/* An analysis that is asked for lives as long as one run of LLVM's. */
static bool wants_analysis(const struct pipe_node *first, const struct pipe_node *end)
{
  bool found = false;
  for (const struct pipe_node *node = first; node != end; node = node->next)
    found |= pipe_is_named(node->text, "require") || wants_analysis(node->first, NULL);
  return found; /* the tree is at most as deep as the parser allows */
}

/* A row of LLVM's elements as steps, one for each: each pass of module(...) and function(...) is one of its own. */
static bool add_row(struct planner *p, struct pipe_node *first, const struct pipe_node *end, bool follows)
{
  if (first != end && wants_analysis(first, end))
    return add_llvm(p, first, end, follows);
  bool fine = true;
  for (struct pipe_node *node = first; node != end && fine; node = node->next) {
    bool opens = node->first && (pipe_is_named(node->text, "module") || pipe_is_named(node->text, "function"));
    fine = opens ? add_row(p, node->first, NULL, follows) : add_llvm(p, node, node->next, follows);
    follows = true;
  }
  return fine;
}

/* A CGSCC pass joins the step of the one before it in the same list: a callee is then through all of them before its
   callers begin. coro-annotation-elide needs that, its work being on callers that are not split yet. */
static bool add_ours(struct planner *p, struct pipe_node *node, enum pass_level outside, uint32_t joins)
{
  enum pass_level level = pipe_level_of(node);
  if (level < outside) {
    pipe_wrong_node(p->string, node,
                    coro_arena_printf(p->arena, "'%s' is a %s pass and cannot stand inside a %s pipeline", node->text,
                                      level_names[level], level_names[outside]),
                    "move it out of the group that it stands in");
    return true;
  }
  struct pipe_step *step =
      joins < p->plan->steps.count ? &p->plan->steps.items[joins] : add_step(p, STEP_OURS, node->at);
  if (!step)
    return false;
  step->level = level;
  step->callers |= node->pass == PASS_CALLERS;
  return coro_vec_push(p->arena, &step->ours, node);
}

/* PASS_LLVM: an element that LLVM runs all of. */
static bool holds(const struct pipe_node *node, enum pass_id pass)
{
  bool found = node->pass == pass && (pass != PASS_LLVM || !node->holds_ours);
  for (const struct pipe_node *child = node->first; child && !found; child = child->next)
    found = holds(child, pass); /* the tree is at most as deep as the parser allows */
  return found;
}

/* Where nothing but pycoro's passes is in it, these follow the order of calls by themselves. */
static bool needs_waves(const struct pipe_node *group, enum pass_level outside, enum pass_level inside)
{
  return outside == LEVEL_MODULE && inside == LEVEL_CGSCC && holds(group, PASS_split) && holds(group, PASS_LLVM);
}

static bool plan_list(struct planner *p, struct pipe_node *list, enum pass_level level);

static bool plan_group(struct planner *p, struct pipe_node *node, enum pass_level outside)
{
  enum pass_level inside = group_level(p, node, outside);
  bool cond = pipe_is_named(node->text, "coro-cond"), waves = needs_waves(node, outside, inside);
  uint32_t index = p->plan->steps.count;
  if ((cond || waves) && !add_step(p, cond ? STEP_COND : STEP_WAVES, node->at))
    return false;
  bool fine = plan_list(p, node, inside);
  if ((cond || waves) && fine)
    p->plan->steps.items[index].otherwise = p->plan->steps.count;
  return fine;
}

/* Whether the CGSCC pass is to go function by function with `before`, the last one in its list. At the outermost level
   every element is a pipeline of its own, so that only neighbours are joined; so is a pass of the caller's, which sees
   what the elements before it have left. Passes of pycoro's go together in the order of the table. */
static bool is_joined(const struct pipe_node *before, const struct pipe_node *node, enum pass_level level)
{
  if (before->pass == PASS_CALLERS || node->pass == PASS_CALLERS)
    return before->next == node;
  return (level == LEVEL_CGSCC || before->next == node) && before->pass < node->pass;
}

static bool plan_list(struct planner *p, struct pipe_node *list, enum pass_level level)
{
  struct pipe_node *row = list->first;   /* where a row of LLVM's elements began */
  const struct pipe_node *before = NULL; /* the last CGSCC pass in this list that is not LLVM's */
  uint32_t joins = UINT32_MAX;           /* its step */
  bool fine = true;
  for (struct pipe_node *node = list->first; node && fine; node = node->next) {
    if (!node->holds_ours)
      continue;
    fine = add_row(p, row, node, false);
    row = node->next;
    if (!fine || node->wrong) {
      fine = fine && plan_list(p, node, level); /* for what is wrong in it */
      continue;
    }
    bool cgscc = node->pass != PASS_LLVM && pipe_level_of(node) == LEVEL_CGSCC;
    bool joined = cgscc && before && is_joined(before, node, level);
    fine = node->pass == PASS_LLVM ? plan_group(p, node, level) : add_ours(p, node, level, joined ? joins : UINT32_MAX);
    if (cgscc && !joined)
      joins = p->plan->steps.count - 1;
    if (cgscc)
      before = node;
  }
  return fine && add_row(p, row, NULL, false);
}

/* In a group or beside module passes LLVM wraps a pass of a lower level itself; at the front of a string it does not,
   and takes the first name's level for all. Spelled like this the string means the same to both. */
static bool print_list(struct planner *p, text *to, const struct pipe_node *list, enum pass_level level)
{
  enum pass_level open = level; /* of the wrapper that is open around the last element */
  for (const struct pipe_node *node = list->first; node; node = node->next) {
    enum pass_level own = node->pass == PASS_LLVM ? level : pipe_level_of(node);
    if (open != level && open != own) {
      if (!append(p, to, ")"))
        return false;
      open = level;
    }
    if (node != list->first && !append(p, to, ","))
      return false;
    if (own > level && open == level && (!append(p, to, level_names[own]) || !append(p, to, "(")))
      return false;
    open = own > level ? own : level;
    enum pass_level inside = level;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
      if (pipe_is_named(node->text, groups[i].name))
        inside = groups[i].inside;
    bool fine = node->group && node->holds_ours ? append(p, to, node->text) && append(p, to, "(") &&
                                                      print_list(p, to, node, inside) && append(p, to, ")")
                                                : print_node(p, to, node, false);
    if (!fine)
      return false;
  }
  return open == level || append(p, to, ")");
}

static bool print_canonical(struct planner *p, const struct pipe_node *root)
{
  text string = {0};
  bool wrap = root->holds_ours && root->first->pass == PASS_LLVM && !root->first->group;
  bool fine = !wrap || append(p, &string, "module(");
  fine = fine && print_list(p, &string, root, LEVEL_MODULE) && (!wrap || append(p, &string, ")"));
  return fine && (p->plan->canonical = finish(p, &string));
}

bool pipe_plan(struct pipe_plan *plan, struct pipe_string *string, struct pipe_node *root)
{
  struct planner p = {string->arena, string, plan};
  *plan = (struct pipe_plan){.canonical = ""};
  return plan_list(&p, root, LEVEL_MODULE) && print_canonical(&p, root);
}
