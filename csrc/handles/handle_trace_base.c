/* Handle trace: tables of known values, cells and events. */
#include "handles/handle_trace_internal.h"

void trace_init(struct trace *t, struct pass_run *run, LLVMValueRef function)
{
  *t = (struct trace){.run = run, .function = function};
  ir_sizes_init(&t->sizes, run->arena, run->layout);
  coro_map_init(&t->known, run->arena);
}

bool trace_add_event(struct trace *t, struct trace_event event)
{
  event.number = t->events.count;
  return coro_vec_push(t->run->arena, &t->events, event);
}

bool trace_add_escape(struct trace *t, LLVMValueRef at, uint16_t cell, const char *what)
{
  return trace_add_event(t, (struct trace_event){.at = at, .kind = TRACE_ESCAPE, .cell = cell, .what = what});
}

const struct trace_value *trace_find_value(const struct trace *t, LLVMValueRef value)
{
  uint64_t index;
  return coro_map_get(&t->known, coro_map_key(value), &index) ? &t->values.items[index - 1] : NULL;
}

uint16_t trace_cell_of_value(const struct trace *t, LLVMValueRef value)
{
  const struct trace_value *known = trace_find_value(t, value);
  return known && known->kind == VALUE_HANDLE ? known->cell : TRACE_NO_CELL;
}

static bool are_facts_equal(const struct trace_value *a, const struct trace_value *b)
{
  return a->kind == b->kind && a->cell == b->cell && a->offset == b->offset && a->object == b->object &&
         a->field == b->field;
}

/* Adds a fact about a value. A value with two different facts is followed as the first, and its escape is an escape
   of the handle. */
bool trace_add_value(struct trace *t, struct trace_value value)
{
  const struct trace_value *before = trace_find_value(t, value.value);
  if (before)
    return are_facts_equal(before, &value) ||
           trace_add_escape(t, value.value, TRACE_EVERY_PATH, "is merged with another address");
  return coro_vec_push(t->run->arena, &t->values, value) &&
         coro_map_put(&t->known, coro_map_key(value.value), t->values.count);
}

bool trace_add_cell(struct trace *t, struct trace_cell cell, uint16_t *number)
{
  *number = TRACE_NO_CELL;
  if (t->cells.count == TRACE_CELLS)
    return true;
  *number = (uint16_t)t->cells.count;
  return coro_vec_push(t->run->arena, &t->cells, cell);
}

bool trace_find_or_add_cell(struct trace *t, LLVMValueRef value, uint16_t *cell)
{
  *cell = trace_cell_of_value(t, value);
  if (*cell != TRACE_NO_CELL)
    return true;
  if (trace_find_value(t, value) || !trace_add_cell(t, (struct trace_cell){.value = value}, cell))
    return !coro_arena_failed(t->run->arena);
  return *cell == TRACE_NO_CELL ||
         trace_add_value(t, (struct trace_value){value, VALUE_HANDLE, *cell, 0, 0, TRACE_WHOLE_VALUE});
}

bool trace_add_handle(struct trace *t, LLVMValueRef value, uint16_t *cell)
{
  return trace_find_or_add_cell(t, value, cell);
}

bool trace_add_frame_address(struct trace *t, LLVMValueRef value)
{
  return trace_add_value(t, (struct trace_value){value, VALUE_FRAME_ADDRESS, TRACE_EVERY_PATH, VALUE_UNKNOWN_OFFSET, 0,
                                                 TRACE_WHOLE_VALUE});
}

bool trace_add_aggregate_member(struct trace *t, LLVMValueRef aggregate, unsigned field, uint16_t *cell)
{
  return trace_add_cell(t, (struct trace_cell){.value = aggregate}, cell) &&
         (*cell == TRACE_NO_CELL ||
          trace_add_value(t, (struct trace_value){aggregate, VALUE_AGGREGATE, *cell, 0, 0, field}));
}
