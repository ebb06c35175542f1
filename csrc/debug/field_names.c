/* Names for fields of the frame. In optimized code a source variable does not correspond to one field: values of one
   variable may be spilled to several fields, and a field may have different values at different suspends. A field gets
   the name of a variable only if it has the variable's value wherever a debugger may read it:

   - `x` if the bytes are x at every suspend where x is in scope;
   - if that is true except for the final suspend, or if x is out of scope there and its bytes are shared, `x` in the
     type of clones that resume and `x__before_final` in that of the others;
   - otherwise, or if two variables are called x, `x__suspend_2` if the bytes are x at the suspend with index 2.

   Requires: low->debug's records, and those valid after each suspend.
   Guarantees: debug->field_names, debug->names_of_field, debug->named and debug->seen_at_suspend are filled. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/source_type.h"
#include "base/compare.h"
#include "base/starts_with.h"
#include "debug/records.h"
#include "transform/debug_nodes.h"

enum { MOST_SUSPENDS = 16 }; /* limit of suspends for which a variable gets `__suspend_N` names */
#define SEVERAL UINT64_MAX

/* The location of a piece at one suspend. */
struct place {
  uint32_t field; /* IR_NONE: not in the frame */
  uint64_t offset; /* offset from the frame's address */
};

struct search {
  const struct coro_lowering *low;
  struct coro_debug *debug;
  struct coro_source_types types;
  struct coro_map variables; /* name -> variable + 1, or SEVERAL */
};

static const char *source_variable_name(const struct coro_lowering *low, const struct debug_record *record,
                                        unsigned *length)
{
  return ir_variable_name_or_function_of_frame(low->arena, low->context, record->variable, length);
}

void debug_read_variable_name_and_type(const struct coro_lowering *low, const struct debug_record *record,
                                       struct debug_field_name *name)
{
  unsigned length;
  name->type = ir_node_operand(low->arena, low->context, record->variable, NODE_VARIABLE_TYPE);
  name->name = source_variable_name(low, record, &length);
  name->length = length;
}

/* ---- Places ---- */

/* Whether the record describes memory at its value plus *offset bytes. */
static bool describes_memory_at_offset(const struct debug_record *record, uint64_t *offset)
{
  static const char plus[] = "DW_OP_plus_uconst, ", deref[] = "DW_OP_deref";
  const char *rest = record->operations;
  *offset = 0;
  if (coro_starts_with(rest, plus)) {
    char *end;
    *offset = strtoull(rest + strlen(plus), &end, 10);
    rest = *end ? end + strlen(", ") : end;
  }
  return !strcmp(rest, record->declares ? "" : deref);
}

/* Whether the field is live at the suspend, so that no other field has its bytes. */
static bool is_field_live_at_suspend(const struct coro_lowering *low, uint32_t field, uint32_t suspend)
{
  const struct coro_field_liveness *live = &low->field_liveness;
  if (!live->start || coro_bits_get(&live->always, field))
    return true;
  for (uint32_t r = live->start[field]; r < live->start[field + 1]; r++)
    if (live->ranges[r].first <= suspend && suspend < live->ranges[r].end)
      return true;
  return false;
}

/* Whether the field has at least the given number of bits of the spilled value. */
static bool spill_has_bits(const struct coro_lowering *low, const struct coro_field *field, uint64_t bits)
{
  uint64_t stored = 8 * LLVMStoreSizeOfType(low->layout, field->type);
  return bits && (bits == stored || (bits < stored && LLVMByteOrder(low->layout) == LLVMLittleEndian));
}

static struct place frame_place_at_suspend(const struct search *s, const struct debug_in_scope *at, uint64_t bits)
{
  const struct coro_lowering *low = s->low;
  struct place none = {.field = IR_NONE}, found = none;
  if (at->record == IR_NONE)
    return none;
  const struct debug_record *record = &s->debug->records[at->record];
  uint64_t offset = 0;
  uint32_t id = record->value && record->operations ? ir_id(&low->fn, record->value) : IR_NONE;
  if (id == IR_NONE || id & IR_BLOCK)
    return none;
  bool memory = describes_memory_at_offset(record, &offset), spilled = !record->declares && !*record->operations;
  if (memory)
    found.field = record->memory_field;
  else if (spilled)
    found.field = low->frame.of_value[id];
  if (found.field == IR_NONE || (!record->path && !is_field_live_at_suspend(low, found.field, at->suspend)))
    return none;
  const struct coro_field *field = &low->frame.fields[found.field];
  if (memory)
    offset += (uint64_t)record->memory_offset;
  if (field->realign || field->kind != (memory ? CORO_FIELD_ALLOCA : CORO_FIELD_SPILL))
    return none;
  bool fits =
      memory ? offset <= field->size && (bits + 7) / 8 <= field->size - offset : spill_has_bits(low, field, bits);
  found.offset = field->offset + offset;
  return fits ? found : none;
}

/* ---- Names ---- */

/* The name and type of a piece. False: it has none. */
static bool describe_variable_piece(struct search *s, uint32_t piece, const struct debug_record *record,
                                    struct debug_field_name *name)
{
  const struct debug_piece *p = &s->debug->pieces[piece];
  debug_read_variable_name_and_type(s->low, record, name);
  if (!name->type || !name->name)
    return false;
  if (p->size == UINT32_MAX) {
    name->size = coro_source_type_bits(&s->types, name->type);
    return true;
  }
  const char *path = coro_arena_strndup(s->low->arena, name->name, name->length);
  name->type = path ? coro_source_member_at(&s->types, name->type, p->offset, p->size, &path) : NULL;
  name->size = p->size;
  name->name = path;
  name->length = path ? strlen(path) : 0;
  return name->type;
}

/* Adds a name with a suffix to the frame types of the set `in`. */
static bool add_field_name(struct search *s, const struct debug_field_name *piece, struct place place,
                           const char *suffix, const bool in[FRAME_VARIANTS])
{
  struct debug_field_name name = *piece;
  if (!suffix) /* out of memory */
    return false;
  if (*suffix) {
    name.name = coro_arena_printf(s->low->arena, "%.*s%s", (int)piece->length, piece->name, suffix);
    if (!name.name)
      return false;
    name.length = strlen(name.name);
  }
  name.field = place.field;
  name.offset = 8 * place.offset;
  memcpy(name.in, in, sizeof name.in);
  return coro_vec_push(s->low->arena, &s->debug->field_names, name);
}

static void mark_place_named(struct search *s, struct place place, const bool in[FRAME_VARIANTS])
{
  for (unsigned v = 0; v < FRAME_VARIANTS; v++)
    if (in[v])
      coro_bits_set(&s->debug->named[v], place.field);
}

/* Names the places of a piece at each suspend where it is in scope. */
static bool name_place_at_each_suspend(struct search *s, const struct debug_field_name *piece,
                                       const struct debug_in_scope *at, const struct place *places, uint32_t count)
{
  static const bool both[FRAME_VARIANTS] = {true, true};
  for (uint32_t i = 0, named = 0; i < count && named < MOST_SUSPENDS; i++) {
    if (places[i].field == IR_NONE)
      continue;
    const char *suffix =
        coro_arena_printf(s->low->arena, "__suspend_%" PRIu32, s->low->shape.suspends[at[i].suspend].index);
    if (!add_field_name(s, piece, places[i], suffix, both))
      return false;
    mark_place_named(s, places[i], both);
    named++;
  }
  return true;
}

static bool is_final_suspend_number(const struct search *s, uint32_t suspend)
{
  return s->low->shape.suspends[suspend].final;
}

/* Names the places of a piece: one for each suspend where it is in scope. */
static bool name_places_of_piece(struct search *s, const struct debug_field_name *piece,
                                 const struct debug_in_scope *at, const struct place *places, uint32_t count,
                                 const bool unknown[FRAME_VARIANTS])
{
  bool same[FRAME_VARIANTS] = {!unknown[FRAME_RESUMABLE], !unknown[FRAME_ANY]};
  struct place common = {.field = IR_NONE};
  for (uint32_t i = 0; i < count; i++)
    if (common.field == IR_NONE && !is_final_suspend_number(s, at[i].suspend))
      common = places[i];
  for (uint32_t i = 0; i < count; i++) {
    bool here = places[i].field != IR_NONE && places[i].offset == common.offset;
    same[FRAME_ANY] &= here;
    same[FRAME_RESUMABLE] &= here || is_final_suspend_number(s, at[i].suspend);
  }
  /* the variable is no longer in scope at the final suspend, and other fields may use its bytes there */
  bool ended =
      !is_final_suspend_number(s, at[count - 1].suspend) && is_final_suspend_number(s, s->low->shape.suspend_count - 1);
  if (ended && common.field != IR_NONE && coro_bits_get(&s->debug->shared, common.field))
    same[FRAME_ANY] = false;
  if (!same[FRAME_RESUMABLE] || common.field == IR_NONE)
    return name_place_at_each_suspend(s, piece, at, places, count);
  const bool any[FRAME_VARIANTS] = {false, !same[FRAME_ANY]};
  if (!add_field_name(s, piece, common, "", same) ||
      (any[FRAME_ANY] && !add_field_name(s, piece, common, "__before_final", any)))
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (places[i].field != IR_NONE && places[i].offset == common.offset)
      mark_place_named(s, places[i], (const bool[FRAME_VARIANTS]){true, true});
  return true;
}

/* For each variant of the frame type: whether it is unknown, at one of its suspends, if the piece is in scope there. */
static void find_unknown_frame_variants(const struct search *s, const struct debug_in_scope *at, uint32_t count,
                                        bool unknown[FRAME_VARIANTS])
{
  unknown[FRAME_RESUMABLE] = unknown[FRAME_ANY] = false;
  for (uint32_t k = 0, i = 0; k < s->low->shape.suspend_count; k++) {
    while (i < count && at[i].suspend < k)
      i++;
    if (!coro_bits_get(&s->debug->scope_unknown, k) || (i < count && at[i].suspend == k))
      continue;
    unknown[FRAME_ANY] = true;
    unknown[FRAME_RESUMABLE] |= !s->low->shape.suspends[k].final;
  }
}

/* Maps the names of the variables that are in scope at a suspend. */
static bool map_names_to_variables_in_scope(struct search *s)
{
  for (uint32_t i = 0; i < s->debug->in_scope.count; i++) {
    const struct debug_in_scope *at = &s->debug->in_scope.items[i];
    unsigned length;
    const char *name =
        at->record == IR_NONE ? NULL : source_variable_name(s->low, &s->debug->records[at->record], &length);
    uint64_t variable = (uint64_t)s->debug->pieces[at->piece].variable + 1, known;
    if (!name)
      continue;
    if (coro_map_get(&s->variables, coro_map_key(name), &known) && known != variable)
      variable = SEVERAL;
    if (!coro_map_put(&s->variables, coro_map_key(name), variable))
      return false;
  }
  return true;
}

static bool has_ambiguous_variable_name(const struct search *s, const struct debug_record *record)
{
  uint64_t known;
  return coro_map_get(&s->variables, coro_map_key(source_variable_name(s->low, record, &(unsigned){0})), &known) &&
         known == SEVERAL;
}

static bool name_variable_piece(struct search *s, const struct debug_in_scope *at, uint32_t count)
{
  const struct debug_record *record = NULL;
  struct place *places = CORO_NEW_ARRAY(s->low->arena, struct place, count);
  struct debug_field_name piece = {0};
  bool unknown[FRAME_VARIANTS];
  if (!places)
    return false;
  coro_bits_set(&s->debug->seen_at_suspend, s->debug->pieces[at->piece].variable);
  for (uint32_t i = 0; i < count && !record; i++)
    record = at[i].record == IR_NONE ? NULL : &s->debug->records[at[i].record];
  if (!record || !describe_variable_piece(s, at->piece, record, &piece))
    return !coro_arena_failed(s->low->arena);
  for (uint32_t i = 0; i < count; i++)
    places[i] = frame_place_at_suspend(s, &at[i], piece.size);
  find_unknown_frame_variants(s, at, count, unknown);
  if (has_ambiguous_variable_name(s, record))
    unknown[FRAME_RESUMABLE] = unknown[FRAME_ANY] = true;
  return name_places_of_piece(s, &piece, at, places, count, unknown);
}

static int compare_in_scope(const void *a, const void *b)
{
  const struct debug_in_scope *x = a, *y = b;
  int order = compare_numbers(x->piece, y->piece);
  return order ? order : compare_numbers(x->suspend, y->suspend);
}

static bool group_names_by_field(struct coro_debug *debug, struct coro_arena *arena, uint32_t field_count)
{
  uint32_t count = debug->field_names.count, *fields = CORO_NEW_ARRAY(arena, uint32_t, count);
  for (uint32_t n = 0; fields && n < count; n++)
    fields[n] = debug->field_names.items[n].field;
  return fields && graph_group_by_key(&debug->names_of_field, arena, fields, count, field_count);
}

bool debug_find_field_names(const struct coro_lowering *low, struct coro_debug *debug)
{
  struct search s = {.low = low, .debug = debug};
  struct debug_in_scope *at = debug->in_scope.items;
  uint32_t fields = low->frame.field_count;
  coro_source_types_init(&s.types, low->context, low->arena, low->arena);
  coro_map_init(&s.variables, low->arena);
  if (!coro_bits_init(&debug->named[FRAME_RESUMABLE], low->arena, fields) ||
      !coro_bits_init(&debug->named[FRAME_ANY], low->arena, fields) ||
      !coro_bits_init(&debug->seen_at_suspend, low->arena, debug->record_count))
    return false;
  if (debug->in_scope.count)
    qsort(at, debug->in_scope.count, sizeof *at, compare_in_scope);
  if (!map_names_to_variables_in_scope(&s))
    return false;
  for (uint32_t first = 0, end = 0; first < debug->in_scope.count; first = end) {
    while (end < debug->in_scope.count && at[end].piece == at[first].piece)
      end++;
    if (!name_variable_piece(&s, &at[first], end - first))
      return false;
  }
  return group_names_by_field(debug, low->arena, fields);
}
