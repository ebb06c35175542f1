/* Formats values, blocks, nodes and fields for the stage printers. */
#include "print/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool print_buffer_open(struct print *p, const struct coro_lowering *low)
{
  *p = (struct print){.low = low, .arena = low->arena};
  return ir_text_split_printed_function(&p->text, p->arena, &low->fn, NULL);
}

const char *print_buffer_text(struct print *p)
{
  return coro_vec_push(p->arena, &p->made, '\0') && !coro_arena_failed(p->arena) ? p->made.items : NULL;
}

void print_buffer_append(struct print *p, const char *format, ...)
{
  char line[512];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  char *text = line;
  if (length >= (int)sizeof line) {
    text = coro_arena_alloc(p->arena, (size_t)length + 1);
    va_start(args, format);
    if (text)
      vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
  }
  for (const char *c = text ? text : ""; *c && coro_vec_push(p->arena, &p->made, *c);)
    c++;
}

static const char *text_or_empty(const char *text)
{
  return text ? text : "";
}

const char *text_of_value(struct print *p, uint32_t value)
{
  uint32_t inst = ir_inst_of_value(&p->low->fn, value);
  size_t length = 0;
  if (inst != IR_NONE)
    return *p->text.name[inst] ? p->text.name[inst] : p->text.inst[inst];
  const char *name = LLVMGetValueName2(ir_value(&p->low->fn, value), &length);
  return text_or_empty(length ? coro_arena_printf(p->arena, "%%%s", name)
                              : coro_arena_printf(p->arena, "%%%u", (unsigned)value));
}

const char *text_of_instruction(struct print *p, uint32_t inst)
{
  return p->text.inst[inst];
}

const char *text_of_block(struct print *p, uint32_t block)
{
  return p->text.block[block];
}

const char *text_of_cfg_node(struct print *p, uint32_t node)
{
  const struct coro_cfg *cfg = &p->low->cfg;
  const struct cfg_node *n = &cfg->nodes[node];
  uint32_t first = cfg->first_node[n->block];
  if (n->landing)
    return text_or_empty(coro_arena_printf(p->arena, "landing %u", (unsigned)(node - cfg->fragment_count)));
  if (node == first)
    return text_of_block(p, n->block);
  return text_or_empty(coro_arena_printf(p->arena, "%s.%u", text_of_block(p, n->block), (unsigned)(node - first)));
}

const char *text_of_frame_field(struct print *p, uint32_t field)
{
  static const char *const names[] = {[CORO_FIELD_RESUME] = "resume",
                                      [CORO_FIELD_DESTROY] = "destroy",
                                      [CORO_FIELD_PROMISE] = "promise",
                                      [CORO_FIELD_INDEX] = "index",
                                      [CORO_FIELD_HEADER] = "header"};
  const struct coro_field *f = &p->low->frame.fields[field];
  if (f->kind < sizeof names / sizeof *names)
    return names[f->kind];
  return field == p->low->frame.heap_field ? "the heap allocation list" : text_of_value(p, f->value);
}
