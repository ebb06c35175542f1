/* Creates the DWARF type of a coroutine frame, a struct with members for each field. Members take name and type from
   the source variables if there are any. Otherwise they are derived from the LLVM type, with the names that LLVM uses.
   Requires: a frame layout, low->debug's records and field names.
   Guarantees: the types; the function is unchanged. */
#include <inttypes.h>
#include <string.h>

#include "debug/records.h"
#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"
#include "transform/debug_nodes.h"

enum { TYPE_FILE = 0, MEMBER_TYPE = 5 }; /* operand indices */

struct frame_type {
  const struct coro_lowering *low;
  const struct coro_debug *debug;
  enum debug_frame_variant variant;
  struct ir_nodes nodes;
  struct coro_map types; /* LLVM's type -> number */
  struct coro_map declarations; /* value id + 1 -> record */
  LLVMMetadataRef file;
  unsigned line;
  CORO_VEC(uint32_t) members; /* their numbers */
  uint32_t unnamed; /* number of members named after their type so far */
};

static uint64_t bit_size_of_type(const struct frame_type *t, LLVMTypeRef type)
{
  return LLVMSizeOfTypeInBits(t->low->layout, type);
}

static const char *debug_name_of_ir_type(const struct frame_type *t, LLVMTypeRef type)
{
  char *name;
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
    name = coro_arena_printf(t->low->arena, "__int_%u", LLVMGetIntTypeWidth(type));
    return name ? name : "";
  case LLVMFloatTypeKind: return "__float_";
  case LLVMDoubleTypeKind: return "__double_";
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMX86_FP80TypeKind:
  case LLVMFP128TypeKind:
  case LLVMPPC_FP128TypeKind: return "__floating_type_";
  case LLVMPointerTypeKind: return "PointerType";
  case LLVMStructTypeKind: break;
  default: return bit_size_of_type(t, type) <= 8 ? "UnknownType" : "";
  }
  if (!LLVMGetStructName(type))
    return "__LiteralStructType_";
  name = coro_arena_strndup(t->low->arena, LLVMGetStructName(type), strlen(LLVMGetStructName(type)));
  for (char *c = name; c && *c; c++)
    if (*c == '.' || *c == ':')
      *c = '_';
  return name ? name : "";
}

/* Prints "name: ..., scope: ..., file: ..., line: ..." of a node with scope `scope`. */
static void write_node_name_and_scope(struct frame_type *t, uint32_t node_number, const char *name, uint32_t scope)
{
  ir_nodes_append_formatted(&t->nodes, "name: ");
  ir_nodes_append_quoted_string(&t->nodes, name, strlen(name));
  if (scope != IR_NONE)
    ir_nodes_append_formatted(&t->nodes, ", scope: !%" PRIu32, scope);
  ir_nodes_append_formatted(&t->nodes, ", file: ");
  ir_nodes_append_reference(&t->nodes, node_number, TYPE_FILE, t->file);
  ir_nodes_append_formatted(&t->nodes, ", line: %u", t->line);
}

static uint32_t write_metadata_list(struct frame_type *t, const uint32_t *numbers, uint32_t count)
{
  uint32_t list = ir_nodes_number(&t->nodes);
  ir_nodes_append_formatted(&t->nodes, "!%" PRIu32 " = !{", list);
  for (uint32_t i = 0; i < count; i++)
    ir_nodes_append_formatted(&t->nodes, "%s!%" PRIu32, i ? ", " : "", numbers[i]);
  ir_nodes_append_formatted(&t->nodes, "}\n");
  return list;
}

static uint32_t debug_type_of_ir_type(struct frame_type *t, LLVMTypeRef type, uint32_t scope);

static uint32_t composite_type_of_struct(struct frame_type *t, LLVMTypeRef type, uint32_t scope)
{
  unsigned count = LLVMCountStructElementTypes(type);
  uint32_t *members = CORO_NEW_ARRAY(t->low->arena, uint32_t, count), number = ir_nodes_number(&t->nodes);
  coro_map_put(&t->types, coro_map_key(type), number);
  if (!members)
    return number;
  for (unsigned i = 0; i < count; i++) {
    LLVMTypeRef element = LLVMStructGetTypeAtIndex(type, i);
    uint32_t base = debug_type_of_ir_type(t, element, number);
    members[i] = ir_nodes_number(&t->nodes);
    ir_nodes_append_formatted(&t->nodes, "!%" PRIu32 " = !DIDerivedType(tag: DW_TAG_member, ", members[i]);
    write_node_name_and_scope(t, members[i], debug_name_of_ir_type(t, element), number);
    ir_nodes_append_formatted(
        &t->nodes, ", baseType: !%" PRIu32 ", size: %" PRIu64 ", offset: %" PRIu64 ", flags: DIFlagArtificial)\n", base,
        bit_size_of_type(t, element), 8 * (uint64_t)LLVMOffsetOfElement(t->low->layout, type, i));
  }
  uint32_t list = write_metadata_list(t, members, count);
  ir_nodes_append_formatted(&t->nodes, "!%" PRIu32 " = !DICompositeType(tag: DW_TAG_structure_type, ", number);
  write_node_name_and_scope(t, number, debug_name_of_ir_type(t, type), scope);
  ir_nodes_append_formatted(
      &t->nodes, ", size: %" PRIu64 ", align: %u, flags: DIFlagArtificial, elements: !%" PRIu32 ")\n",
      8 * (uint64_t)LLVMABISizeOfType(t->low->layout, type), 8 * LLVMABIAlignmentOfType(t->low->layout, type), list);
  return number;
}

/* The fallback type: an array of bytes. */
static uint32_t debug_type_of_byte_array(struct frame_type *t, uint64_t size)
{
  uint32_t byte = ir_nodes_number(&t->nodes);
  ir_nodes_append_formatted(&t->nodes,
                            "!%" PRIu32 " = !DIBasicType(name: \"UnknownType\", size: 8, "
                            "encoding: DW_ATE_unsigned_char, flags: DIFlagArtificial)\n",
                            byte);
  if (size <= 1)
    return byte;
  uint32_t range = ir_nodes_number(&t->nodes);
  ir_nodes_append_formatted(&t->nodes, "!%" PRIu32 " = !DISubrange(count: %" PRIu64 ", lowerBound: 0)\n", range, size);
  uint32_t list = write_metadata_list(t, &range, 1), array = ir_nodes_number(&t->nodes);
  ir_nodes_append_formatted(&t->nodes,
                            "!%" PRIu32 " = !DICompositeType(tag: DW_TAG_array_type, baseType: !%" PRIu32
                            ", size: %" PRIu64 ", elements: !%" PRIu32 ")\n",
                            array, byte, 8 * size, list);
  return array;
}

static uint32_t debug_type_of_ir_type(struct frame_type *t, LLVMTypeRef type, uint32_t scope)
{
  uint64_t known, size = bit_size_of_type(t, type);
  if (coro_map_get(&t->types, coro_map_key(type), &known))
    return (uint32_t)known;
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  const char *name = debug_name_of_ir_type(t, type);
  uint32_t number;
  if (kind == LLVMStructTypeKind)
    return composite_type_of_struct(t, type, scope);
  if (kind == LLVMPointerTypeKind) {
    number = ir_nodes_number(&t->nodes);
    ir_nodes_append_formatted(&t->nodes,
                              "!%" PRIu32 " = !DIDerivedType(tag: DW_TAG_pointer_type, name: \"%s\", baseType: null, "
                              "size: %" PRIu64 ")\n",
                              number, name, size);
  } else if (kind == LLVMIntegerTypeKind || strncmp(name, "__", 2) == 0) {
    number = ir_nodes_number(&t->nodes);
    ir_nodes_append_formatted(&t->nodes,
                              "!%" PRIu32 " = !DIBasicType(name: \"%s\", size: %" PRIu64 ", encoding: %s, "
                              "flags: DIFlagArtificial)\n",
                              number, name, size, kind == LLVMIntegerTypeKind ? "DW_ATE_signed" : "DW_ATE_float");
  } else {
    number = debug_type_of_byte_array(t, LLVMABISizeOfType(t->low->layout, type));
  }
  coro_map_put(&t->types, coro_map_key(type), number);
  return number;
}

/* ---- Fields ---- */

/* Maps each value to the first record that declares the whole of it. */
static void map_values_to_whole_declarations(struct frame_type *t)
{
  for (uint32_t r = t->debug->record_count; r--;) {
    const struct debug_record *record = &t->debug->records[r];
    uint32_t value = record->value ? ir_id(&t->low->fn, record->value) : IR_NONE;
    if (value != IR_NONE && record->declares && record->operations && !*record->operations && !*record->fragment)
      coro_map_put(&t->declarations, (uint64_t)value + 1, r);
  }
}

/* The record that declares the field as a variable; NULL if the bytes may belong to another field while the variable
   is in scope. */
static const struct debug_record *declaration_of_field_or_null(const struct frame_type *t, uint32_t f)
{
  const struct coro_field *field = &t->low->frame.fields[f];
  uint64_t number;
  /* a spill slot holds an address, not the declared variable; the list of heap blocks has no variable */
  if (field->value == IR_NONE || field->realign || field->kind == CORO_FIELD_SPILL || f == t->low->frame.heap_field ||
      !coro_map_get(&t->declarations, (uint64_t)field->value + 1, &number))
    return NULL;
  const struct debug_record *record = &t->debug->records[number];
  bool lost = field->kind == CORO_FIELD_ALLOCA && coro_bits_get(&t->debug->shared, f) &&
              coro_bits_get(&t->debug->seen_at_suspend, record->whole);
  return lost ? NULL : record;
}

struct member {
  struct debug_field_name name; /* its type is that of the source variable, or NULL */
  uint32_t number; /* number of the derived type if there is no source variable */
};

static void describe_type_of_field(struct frame_type *t, const struct coro_field *field, uint32_t frame,
                                   struct member *m)
{
  LLVMTypeRef type = field->type;
  if (!type && t->low->allocas.items[t->low->allocas.of_value[field->value]].size == field->size)
    type = t->low->allocas.items[t->low->allocas.of_value[field->value]].type;
  if (type && LLVMABISizeOfType(t->low->layout, type) != field->size)
    type = NULL; /* an array alloca, or with padding for realignment */
  m->number = type ? debug_type_of_ir_type(t, type, frame) : debug_type_of_byte_array(t, field->size);
  if (type)
    m->name.size = bit_size_of_type(t, type);
  if (m->name.name)
    return;
  char *name =
      coro_arena_printf(t->low->arena, "%s_%" PRIu32, type ? debug_name_of_ir_type(t, type) : "", t->unnamed++);
  m->name.name = name ? name : "";
  m->name.length = strlen(m->name.name);
}

static void describe_frame_member(struct frame_type *t, uint32_t f, uint32_t frame, struct member *m)
{
  static const char *const names[] = {[CORO_FIELD_RESUME] = "__resume_fn",
                                      [CORO_FIELD_DESTROY] = "__destroy_fn",
                                      [CORO_FIELD_PROMISE] = "__promise",
                                      [CORO_FIELD_INDEX] = "__coro_index",
                                      [CORO_FIELD_HEADER] = "__coro_header"};
  const struct coro_field *field = &t->low->frame.fields[f];
  const struct debug_record *record = declaration_of_field_or_null(t, f);
  *m = (struct member){.name = {.field = f, .offset = 8 * field->offset, .size = 8 * field->size}};
  if (record)
    debug_read_variable_name_and_type(t->low, record, &m->name);
  if (field->kind <= CORO_FIELD_HEADER) {
    m->name.name = names[field->kind];
    m->name.length = strlen(m->name.name);
  }
  if (m->name.type && m->name.name)
    return;
  if (field->kind == CORO_FIELD_INDEX) {
    m->number = ir_nodes_number(&t->nodes);
    ir_nodes_append_formatted(&t->nodes,
                              "!%" PRIu32 " = !DIBasicType(name: \"__coro_index\", size: %" PRIu64 ", encoding: %s)\n",
                              m->number, m->name.size, field->size == 1 ? "DW_ATE_unsigned_char" : "DW_ATE_unsigned");
  } else if (field->kind < CORO_FIELD_PROMISE) {
    m->number = ir_nodes_number(&t->nodes);
    ir_nodes_append_formatted(
        &t->nodes, "!%" PRIu32 " = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: %" PRIu64 ")\n",
        m->number, m->name.size);
  } else {
    m->name.type = NULL;
    describe_type_of_field(t, field, frame, m);
  }
}

/* Metadata has 32 bits for it; 0: not stated. */
static uint32_t align_in_bits_or_0_if_too_large(uint64_t bytes)
{
  return bytes <= UINT32_MAX / 8 ? (uint32_t)(8 * bytes) : 0;
}

static bool write_frame_member(struct frame_type *t, const struct member *m, uint32_t frame)
{
  uint32_t number = ir_nodes_number(&t->nodes);
  ir_nodes_append_formatted(&t->nodes, "!%" PRIu32 " = !DIDerivedType(tag: DW_TAG_member, name: ", number);
  ir_nodes_append_quoted_string(&t->nodes, m->name.name, m->name.length);
  ir_nodes_append_formatted(&t->nodes, ", scope: !%" PRIu32 ", file: ", frame);
  ir_nodes_append_reference(&t->nodes, number, TYPE_FILE, t->file);
  ir_nodes_append_formatted(&t->nodes, ", line: %u, baseType: ", t->line);
  if (m->name.type)
    ir_nodes_append_reference(&t->nodes, number, MEMBER_TYPE, m->name.type);
  else
    ir_nodes_append_formatted(&t->nodes, "!%" PRIu32, m->number);
  ir_nodes_append_formatted(
      &t->nodes, ", size: %" PRIu64 ", align: %" PRIu32 ", offset: %" PRIu64 ", flags: DIFlagArtificial)\n",
      m->name.size, align_in_bits_or_0_if_too_large(t->low->frame.fields[m->name.field].align), m->name.offset);
  return coro_vec_push(t->low->arena, &t->members, number);
}

/* Writes the members of a field: one for each of its names, or one with the name of its type. */
static bool write_members_of_field(struct frame_type *t, uint32_t f, uint32_t frame)
{
  struct member m;
  if (!coro_bits_get(&t->debug->named[t->variant], f)) {
    describe_frame_member(t, f, frame, &m);
    return write_frame_member(t, &m, frame);
  }
  const struct graph_groups *names = &t->debug->names_of_field;
  for (uint32_t n = names->start[f]; n < names->start[f + 1]; n++) {
    m = (struct member){.name = t->debug->field_names.items[names->items[n]]};
    if (m.name.in[t->variant] && !write_frame_member(t, &m, frame))
      return false;
  }
  return true;
}

/* NULL: out of memory. */
static LLVMMetadataRef make_frame_type(const struct coro_lowering *low, const struct coro_debug *debug,
                                       enum debug_frame_variant variant)
{
  struct frame_type t = {.low = low,
                         .debug = debug,
                         .variant = variant,
                         .file = LLVMDIScopeGetFile(debug->subprogram),
                         .line = LLVMDISubprogramGetLine(debug->subprogram)};
  const uint32_t *order = coro_frame_indices_by_offset(low->arena, &low->frame);
  const char *function = edit_value_name(low->fn.function);
  char *name = coro_arena_printf(low->arena, "%s.coro_frame_ty", function);
  if (!order || !name)
    return NULL;
  ir_nodes_init(&t.nodes, low->arena, low->context);
  coro_map_init(&t.types, low->arena);
  coro_map_init(&t.declarations, low->arena);
  map_values_to_whole_declarations(&t);
  uint32_t frame = ir_nodes_number(&t.nodes);
  for (uint32_t f = 0; f < low->frame.field_count; f++)
    if (!write_members_of_field(&t, order[f], frame))
      return NULL;
  uint32_t list = write_metadata_list(&t, t.members.items, t.members.count);
  ir_nodes_append_formatted(&t.nodes, "!%" PRIu32 " = !DICompositeType(tag: DW_TAG_structure_type, ", frame);
  write_node_name_and_scope(&t, frame, name, IR_NONE);
  ir_nodes_append_formatted(
      &t.nodes, ", size: %" PRIu64 ", align: %" PRIu32 ", flags: DIFlagArtificial, elements: !%" PRIu32 ")\n",
      8 * low->frame.size, align_in_bits_or_0_if_too_large(low->frame.align), list);
  return ir_nodes_parse(&t.nodes) ? t.nodes.made[frame] : NULL;
}

bool debug_make_frame_types(const struct coro_lowering *low, struct coro_debug *debug)
{
  bool differ = false;
  for (uint32_t n = 0; n < debug->field_names.count; n++)
    differ |= debug->field_names.items[n].in[FRAME_RESUMABLE] != debug->field_names.items[n].in[FRAME_ANY];
  LLVMMetadataRef resumable = make_frame_type(low, debug, FRAME_RESUMABLE);
  debug->frame_types[FRAME_RESUMABLE] = resumable;
  debug->frame_types[FRAME_ANY] = differ ? make_frame_type(low, debug, FRAME_ANY) : resumable;
  return debug->frame_types[FRAME_RESUMABLE] && debug->frame_types[FRAME_ANY];
}
