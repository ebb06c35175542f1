/* Reading of pass strings, in LLVM's grammar.
   Needs: base. Leaves: a tree in the arena. */
#include "pipeline/parse.h"

#include <string.h>

#include "base/diag.h"

enum { MOST_NESTED = 64 }; /* LLVM reads the string recursively; no pipeline is anywhere near as deep */

const struct pass_row pass_table[PASS_COUNT] = {
#define CORO_PASS(name, text, level) {text, LEVEL_##level},
#include "pass/passes.def"
};

bool pipe_is_named(const char *text, const char *name)
{
  size_t length = strlen(name);
  return !strncmp(text, name, length) && (!text[length] || text[length] == '<');
}

bool pipe_is_among(const char *text, const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (pipe_is_named(text, names[i]))
      return true;
  return false;
}

coro_status pipe_error(struct coro_arena *arena, coro_diags *diags, uint32_t at, const char *message, const char *hint)
{
  const char *full = coro_arena_printf(arena, "%s (at character %u of the pass string)", message, (unsigned)at + 1);
  if (!full)
    return CORO_ENOMEM;
  coro_diag diag = {
      .status = CORO_EPIPELINE, .severity = CORO_ERROR, .rule = "pass-string", .message = full, .hint = hint};
  return coro_diags_add(diags, &diag);
}

static bool is_split_parameters(const char *text, size_t length, bool *reuse)
{
  static const char reuse_storage[] = "reuse-storage";
  if (length && (length != sizeof reuse_storage - 1 || memcmp(text, reuse_storage, length)))
    return false;
  *reuse = length != 0;
  return true;
}

enum pass_level pipe_level_of(const struct pipe_node *node)
{
  static const enum pass_level levels[] = {[CORO_PASS_MODULE] = LEVEL_MODULE,
                                           [CORO_PASS_CGSCC] = LEVEL_CGSCC,
                                           [CORO_PASS_COROUTINE] = LEVEL_CGSCC,
                                           [CORO_PASS_FUNCTION] = LEVEL_FUNCTION};
  return node->pass == PASS_CALLERS ? levels[node->callers->level] : pass_table[node->pass].level;
}

const char *pipe_parameters(struct coro_arena *arena, const struct pipe_node *node)
{
  size_t length = strlen(node->text), name = strcspn(node->text, "<");
  return name == length ? "" : coro_arena_strndup(arena, node->text + name + 1, length - name - 2);
}

static void find_name(struct pipe_node *node, const struct pipe_callers *callers)
{
  node->pass = PASS_LLVM;
  for (int i = 0; i < PASS_COUNT; i++)
    if (pipe_is_named(node->text, pass_table[i].name))
      node->pass = (enum pass_id)i;
  for (size_t i = 0; i < callers->count; i++)
    if (pipe_is_named(node->text, callers->passes[i].name)) {
      node->pass = PASS_CALLERS;
      node->callers = &callers->passes[i];
    }
}

/* Of pycoro's own passes only coro-split takes a parameter; one of the caller's looks at its own. */
static coro_status recognise(struct pipe_node *node, struct coro_arena *arena, const struct pipe_callers *callers,
                             coro_diags *diags)
{
  size_t length = strlen(node->text), name = strcspn(node->text, "<");
  find_name(node, callers);
  if (node->pass == PASS_LLVM || name == length)
    return CORO_OK;
  if (node->pass == PASS_CALLERS)
    return node->text[length - 1] == '>'
               ? CORO_OK
               : pipe_error(arena, diags, node->at,
                            coro_arena_printf(arena, "the parameters of '%s' are not closed", node->text),
                            "close them with >, and put no comma or parenthesis between < and >");
  if (node->text[length - 1] != '>' || node->pass != PASS_split)
    return pipe_error(arena, diags, node->at, coro_arena_printf(arena, "unknown pass name '%s'", node->text),
                      "write the pass's name alone; only coro-split takes a parameter");
  size_t inner = length - name - 2;
  if (!is_split_parameters(node->text + name + 1, inner, &node->reuse_storage))
    return pipe_error(
        arena, diags, node->at,
        coro_arena_printf(arena, "invalid coro-split pass parameter '%.*s'", (int)inner, node->text + name + 1),
        "the only parameter is reuse-storage: coro-split<reuse-storage>");
  return CORO_OK;
}

static coro_status add(struct pipe_node *parent, struct coro_arena *arena, const char *text, uint32_t at, size_t length,
                       const struct pipe_callers *callers, coro_diags *diags)
{
  struct pipe_node *node = CORO_NEW(arena, struct pipe_node);
  const char *own = coro_arena_strndup(arena, text + at, length);
  if (!node || !own)
    return CORO_ENOMEM;
  node->text = own;
  node->at = at;
  node->parent = parent;
  *(parent->last ? &parent->last->next : &parent->first) = node;
  parent->last = node;
  if (!length)
    return pipe_error(arena, diags, at, "a pass name is missing", "name a pass between the commas or parentheses");
  coro_status status = recognise(node, arena, callers, diags);
  for (struct pipe_node *up = node; up && node->pass != PASS_LLVM; up = up->parent)
    up->holds_ours = true;
  return status;
}

static coro_status open_group(struct pipe_node **in, struct coro_arena *arena, uint32_t depth, coro_diags *diags)
{
  struct pipe_node *node = (*in)->last;
  if (node->pass != PASS_LLVM)
    return pipe_error(arena, diags, node->at,
                      coro_arena_printf(arena, "'%s' is a pass and holds no others", node->text),
                      "leave the parentheses out, or use module(...), cgscc(...) or function(...)");
  if (depth > MOST_NESTED)
    return pipe_error(arena, diags, node->at, "the parentheses are nested too deeply",
                      "flatten the pass string; groups within groups of the same kind mean nothing more");
  node->group = true;
  *in = node;
  return CORO_OK;
}

coro_status pipe_parse(struct pipe_node **root, struct coro_arena *arena, const char *text,
                       const struct pipe_callers *callers, coro_diags *diags)
{
  struct pipe_node *in = *root = CORO_NEW(arena, struct pipe_node);
  if (!in)
    return CORO_ENOMEM;
  in->text = "";
  in->pass = PASS_LLVM;
  in->group = true;
  for (uint32_t at = 0, depth = 0; text[0];) {
    size_t length = strcspn(text + at, ",()");
    coro_status status = add(in, arena, text, at, length, callers, diags);
    at += (uint32_t)length;
    if (!status && text[at] == '(')
      status = open_group(&in, arena, ++depth, diags);
    if (status)
      return status;
    for (; text[at] == ')'; at++, depth--, in = in->parent)
      if (!in->parent)
        return pipe_error(arena, diags, at, "this closing parenthesis closes nothing", "remove it");
    if (!text[at])
      break;
    bool closed = at && text[at - 1] == ')';
    if (closed && text[at] != ',')
      return pipe_error(arena, diags, at, "a comma is missing after the closing parenthesis",
                        "separate passes by commas");
    at++;
  }
  if (in->parent)
    return pipe_error(arena, diags, in->at, coro_arena_printf(arena, "the parenthesis of '%s' is not closed", in->text),
                      "close it with )");
  return CORO_OK;
}
