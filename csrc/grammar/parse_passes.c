/* Parser for pass strings in LLVM's grammar. */
#include "grammar/parse_passes.h"

#include <string.h>

#include "grammar/level.h"
#include "handles/elided_frame.h"
#include "lowering/layout.h"

enum { MOST_NESTED = 64 }; /* LLVM parses recursively; real pipelines are much shallower */

const struct pass_row pass_table[PASS_COUNT] = {
#define CORO_PASS(name, text, level) {text, LEVEL_##level},
#include "run/passes.def"
};

bool text_is_pass_name(const char *text, const char *name)
{
  size_t length = strlen(name);
  return !strncmp(text, name, length) && (!text[length] || text[length] == '<');
}

bool text_is_among_pass_names(const char *text, const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (text_is_pass_name(text, names[i]))
      return true;
  return false;
}

const char *pass_node_name_as_written(const struct pass_node *node)
{
  return node->level ? node->level : node->text;
}

bool pass_node_is_in_optimization_level(const struct pass_node *node)
{
  for (; node; node = node->parent)
    if (node->level)
      return true;
  return false; /* depth is bounded by the parser */
}

void pass_node_add_error(struct pass_string *string, struct pass_node *node, const char *message, const char *hint)
{
  node->wrong = true;
  pass_string_add_error(string, node->at, (uint32_t)strlen(pass_node_name_as_written(node)), message, hint);
}

/* Parses a decimal number of at most 19 digits, which fits 64 bits. */
static bool parse_decimal_number(const char *text, size_t length, uint64_t *number)
{
  bool fine = length && length <= 19;
  *number = 0;
  for (size_t i = 0; i < length && fine; i++) {
    fine = text[i] >= '0' && text[i] <= '9';
    *number = 10 * *number + (uint64_t)(text[i] - '0');
  }
  return fine;
}

static const struct pass_parameter {
  enum pass_id pass;
  const char *text;
  uint64_t value;
} parameters[] = {
#define CORO_PARAMETER(pass, text, value) {PASS_##pass, text, value},
#include "run/passes.def"
};
enum { PARAMETER_COUNT = sizeof parameters / sizeof *parameters };

static bool pass_parameter_takes_number(const struct pass_parameter *parameter)
{
  size_t length = strlen(parameter->text);
  return length && parameter->text[length - 1] == '=';
}

/* Parses a pass's parameter. False: it has no such parameter. */
static bool parse_pass_parameter(const char *text, size_t length, struct pass_node *node)
{
  for (size_t i = 0; i < PARAMETER_COUNT; i++) {
    const struct pass_parameter *p = &parameters[i];
    size_t start = strlen(p->text);
    bool known = p->pass == node->pass && length >= start && !memcmp(text, p->text, start);
    node->parameter = p->value;
    if (known && (pass_parameter_takes_number(p) ? parse_decimal_number(text + start, length - start, &node->parameter)
                                                 : length == start))
      return true;
  }
  return false;
}

enum pass_level pass_node_ir_unit(const struct pass_node *node)
{
  static const enum pass_level levels[] = {[CORO_PASS_MODULE] = LEVEL_MODULE,
                                           [CORO_PASS_CGSCC] = LEVEL_CGSCC,
                                           [CORO_PASS_COROUTINE] = LEVEL_CGSCC,
                                           [CORO_PASS_FUNCTION] = LEVEL_FUNCTION};
  return node->pass == PASS_CLIENT ? levels[node->client->level] : pass_table[node->pass].level;
}

const char *pass_node_parameters(struct coro_arena *arena, const struct pass_node *node)
{
  size_t length = strlen(node->text), name = strcspn(node->text, "<");
  return name == length ? "" : coro_arena_strndup(arena, node->text + name + 1, length - name - 2);
}

static void resolve_pass_name(struct pass_node *node, const struct pipeline_client_passes *clients)
{
  node->pass = PASS_LLVM;
  for (int i = 0; i < PASS_COUNT; i++)
    if (text_is_pass_name(node->text, pass_table[i].name))
      node->pass = (enum pass_id)i;
  for (size_t i = 0; i < PARAMETER_COUNT; i++)
    if (parameters[i].pass == node->pass && pass_parameter_takes_number(&parameters[i]))
      node->parameter = parameters[i].value;
  for (size_t i = 0; i < clients->count; i++)
    if (text_is_pass_name(node->text, clients->passes[i].name)) {
      node->pass = PASS_CLIENT;
      node->client = &clients->passes[i];
    }
}

/* How the pass is written with each of its parameters; NULL: it has none, or out of memory. */
static const char *list_parameters_of_pass(struct coro_arena *arena, const struct pass_node *node)
{
  const char *list = NULL, *name = pass_table[node->pass].name;
  for (size_t i = 0; i < PARAMETER_COUNT; i++)
    if (parameters[i].pass == node->pass && *parameters[i].text)
      list = coro_arena_printf(arena, "%s%s%s<%s%s>", list ? list : "write ", list ? " or " : "", name,
                               parameters[i].text, pass_parameter_takes_number(&parameters[i]) ? "N" : "");
  return list;
}

static void check_pycoro_parameters(struct pass_string *string, struct pass_node *node, const char *inner,
                                    size_t length)
{
  const char *list = list_parameters_of_pass(string->arena, node);
  if (!list)
    pass_node_add_error(
        string, node,
        coro_arena_printf(string->arena, "unknown pass name '%s': the pass has no parameters", node->text),
        "write the pass's name alone");
  else if (length && !parse_pass_parameter(inner, length, node))
    pass_node_add_error(string, node,
                        coro_arena_printf(string->arena, "invalid %s pass parameter '%.*s'",
                                          pass_table[node->pass].name, (int)length, inner),
                        list);
}

/* A client's pass checks its parameters itself. */
static void check_pass_parameters(struct pass_string *string, struct pass_node *node)
{
  size_t length = strlen(node->text), name = strcspn(node->text, "<");
  if (node->pass == PASS_LLVM || name == length)
    return;
  if (node->text[length - 1] != '>')
    pass_node_add_error(
        string, node,
        coro_arena_printf(string->arena, "unknown pass name '%s': its parameters are not closed", node->text),
        "close them with >, and put no comma or parenthesis between < and >");
  else if (node->pass != PASS_CLIENT)
    check_pycoro_parameters(string, node, node->text + name + 1, length - name - 2);
}

/* Sets the offset in the pass string of the passes of a level, which is the level's. */
static void set_position_of_elements(struct pass_node *node, uint32_t at)
{
  for (; node; node = node->next) {
    node->at = at;
    set_position_of_elements(node->first, at); /* the passes of a level are nested up to five deep */
  }
}

/* Replaces a level by the group of its passes. */
static void replace_level_by_its_passes(struct pass_string *string, struct pass_node *node)
{
  struct pass_string inner = {.arena = string->arena, .triple = string->triple};
  inner.text = level_pass_string_or_null(string->arena, node->text);
  if (!inner.text) {
    pass_node_add_error(string, node, coro_arena_printf(string->arena, "'%s' is not an optimization level", node->text),
                        "the levels are O0, O1, O2, O3, Os and Oz: default<O2>");
    return;
  }
  struct pass_node *root = pass_string_parse(&inner);
  if (!root)
    return; /* the arena records the failure */
  node->level = node->text;
  node->text = "module";
  node->group = node->has_pycoro_pass = true;
  node->first = root->first;
  node->last = root->last;
  for (struct pass_node *child = node->first; child; child = child->next)
    child->parent = node;
  set_position_of_elements(node->first, node->at);
}

static struct pass_node *add_pipeline_element(struct pass_string *string, struct pass_node *parent, uint32_t at,
                                              size_t length)
{
  struct pass_node *node = CORO_NEW(string->arena, struct pass_node);
  const char *own = coro_arena_strndup(string->arena, string->text + at, length);
  if (!node || !own)
    return NULL;
  node->text = own;
  node->at = at;
  node->parent = parent;
  *(parent->last ? &parent->last->next : &parent->first) = node;
  parent->last = node;
  resolve_pass_name(node, &string->clients);
  check_pass_parameters(string, node);
  if (node->pass == PASS_LLVM && level_is_family_name(own))
    replace_level_by_its_passes(string, node);
  if (!length)
    pass_node_add_error(string, node, "a pass name is missing", "name a pass between the commas or parentheses");
  for (struct pass_node *up = node; up && (node->pass != PASS_LLVM || node->wrong || node->level); up = up->parent)
    up->has_pycoro_pass = true;
  return node;
}

/* Reports a pass that is followed by parentheses, and continues as if it were a group. */
static bool open_pass_group(struct pass_string *string, struct pass_node *node, uint32_t depth)
{
  if (depth > MOST_NESTED)
    pass_node_add_error(string, node, "the parentheses are nested too deeply",
                        "flatten the pass string; nested groups of the same kind have no effect");
  else if (node->pass != PASS_LLVM || node->level)
    pass_node_add_error(
        string, node,
        coro_arena_printf(string->arena, "'%s' is a pass and cannot contain others", pass_node_name_as_written(node)),
        "remove the parentheses, or use module(...), cgscc(...) or function(...)");
  node->group = true;
  return depth <= MOST_NESTED;
}

/* Skips closing parentheses and returns where the list continues; *in is the group that contains it. NULL:
   unbalanced. */
static const char *close_pass_groups(struct pass_string *string, const char *from, struct pass_node **in,
                                     uint32_t *depth)
{
  const char *at = from;
  for (; *at == ')'; at++, --*depth, *in = (*in)->parent)
    if (!(*in)->parent) {
      pass_string_add_error(string, (uint32_t)(at - string->text), 1, "this closing parenthesis has no opening one",
                            "remove it");
      return NULL;
    }
  if (at == from || !*at || *at == ',')
    return at;
  pass_string_add_error(string, (uint32_t)(at - string->text), 0, "a comma is missing after the closing parenthesis",
                        "separate passes by commas");
  return NULL;
}

struct pass_node *pass_string_parse(struct pass_string *string)
{
  struct pass_node *root = CORO_NEW(string->arena, struct pass_node), *in = root;
  uint32_t depth = 0;
  if (!root)
    return NULL;
  root->text = "";
  root->pass = PASS_LLVM;
  root->group = true;
  for (const char *at = string->text; *string->text; at++) {
    size_t length = strcspn(at, ",()");
    struct pass_node *node = add_pipeline_element(string, in, (uint32_t)(at - string->text), length);
    at += length;
    if (node && *at == '(') {
      if (!open_pass_group(string, node, ++depth))
        return NULL;
      in = node;
      continue;
    }
    at = node ? close_pass_groups(string, at, &in, &depth) : NULL;
    if (!at)
      return NULL;
    if (!*at)
      break;
  }
  if (in->parent)
    pass_node_add_error(string, in, coro_arena_printf(string->arena, "the parenthesis of '%s' is not closed", in->text),
                        "close it with )");
  return in->parent ? NULL : root;
}
