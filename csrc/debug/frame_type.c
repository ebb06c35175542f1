/* The DWARF type of a coroutine frame: a struct with one member per field. Members take name and type from the source
   variable if there is one. Otherwise they are derived from the LLVM type, with the names that LLVM uses.
   Requires: a frame layout, low->debug's records.
   Guarantees: the type; the function is unchanged. */
#include <inttypes.h>
#include <string.h>

#include "debug/records.h"
#include "ir/debug_nodes.h"
#include "llvm-c/DebugInfo.h"

enum { TYPE_FILE = 0, MEMBER_TYPE = 5 }; /* operand indices */

struct frame_type {
  const struct coro_lowering *low;
  struct ir_nodes nodes;
  struct coro_map types;        /* LLVM's type -> number */
  struct coro_map declarations; /* value id + 1 -> record */
  LLVMMetadataRef file;
  unsigned line;
  uint32_t unnamed; /* number of members named after their type so far */
};

static uint64_t bits_of(const struct frame_type *t, LLVMTypeRef type)
{
  return LLVMSizeOfTypeInBits(t->low->layout, type);
}

static const char *type_name(const struct frame_type *t, LLVMTypeRef type)
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
  default: return bits_of(t, type) <= 8 ? "UnknownType" : "";
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
static void write_place(struct frame_type *t, uint32_t number, const char *name, uint32_t scope)
{
  ir_nodes_print(&t->nodes, "name: ");
  ir_nodes_string(&t->nodes, name, strlen(name));
  if (scope != IR_NONE)
    ir_nodes_print(&t->nodes, ", scope: !%" PRIu32, scope);
  ir_nodes_print(&t->nodes, ", file: ");
  ir_nodes_reference(&t->nodes, number, TYPE_FILE, t->file);
  ir_nodes_print(&t->nodes, ", line: %u", t->line);
}

static uint32_t write_list(struct frame_type *t, const uint32_t *numbers, uint32_t count)
{
  uint32_t list = ir_nodes_number(&t->nodes);
  ir_nodes_print(&t->nodes, "!%" PRIu32 " = !{", list);
  for (uint32_t i = 0; i < count; i++)
    ir_nodes_print(&t->nodes, "%s!%" PRIu32, i ? ", " : "", numbers[i]);
  ir_nodes_print(&t->nodes, "}\n");
  return list;
}

static uint32_t type_of(struct frame_type *t, LLVMTypeRef type, uint32_t scope);

static uint32_t struct_of(struct frame_type *t, LLVMTypeRef type, uint32_t scope)
{
  unsigned count = LLVMCountStructElementTypes(type);
  uint32_t *members = CORO_NEW_ARRAY(t->low->arena, uint32_t, count), number = ir_nodes_number(&t->nodes);
  coro_map_put(&t->types, coro_map_key(type), number);
  if (!members)
    return number;
  for (unsigned i = 0; i < count; i++) {
    LLVMTypeRef element = LLVMStructGetTypeAtIndex(type, i);
    uint32_t base = type_of(t, element, number);
    members[i] = ir_nodes_number(&t->nodes);
    ir_nodes_print(&t->nodes, "!%" PRIu32 " = !DIDerivedType(tag: DW_TAG_member, ", members[i]);
    write_place(t, members[i], type_name(t, element), number);
    ir_nodes_print(&t->nodes,
                   ", baseType: !%" PRIu32 ", size: %" PRIu64 ", offset: %" PRIu64 ", flags: DIFlagArtificial)\n", base,
                   bits_of(t, element), 8 * (uint64_t)LLVMOffsetOfElement(t->low->layout, type, i));
  }
  uint32_t list = write_list(t, members, count);
  ir_nodes_print(&t->nodes, "!%" PRIu32 " = !DICompositeType(tag: DW_TAG_structure_type, ", number);
  write_place(t, number, type_name(t, type), scope);
  ir_nodes_print(&t->nodes, ", size: %" PRIu64 ", align: %u, flags: DIFlagArtificial, elements: !%" PRIu32 ")\n",
                 8 * (uint64_t)LLVMABISizeOfType(t->low->layout, type),
                 8 * LLVMABIAlignmentOfType(t->low->layout, type), list);
  return number;
}

/* The fallback type: an array of bytes. */
static uint32_t byte_array_type(struct frame_type *t, uint64_t size)
{
  uint32_t byte = ir_nodes_number(&t->nodes);
  ir_nodes_print(&t->nodes,
                 "!%" PRIu32 " = !DIBasicType(name: \"UnknownType\", size: 8, "
                 "encoding: DW_ATE_unsigned_char, flags: DIFlagArtificial)\n",
                 byte);
  if (size <= 1)
    return byte;
  uint32_t range = ir_nodes_number(&t->nodes);
  ir_nodes_print(&t->nodes, "!%" PRIu32 " = !DISubrange(count: %" PRIu64 ", lowerBound: 0)\n", range, size);
  uint32_t list = write_list(t, &range, 1), array = ir_nodes_number(&t->nodes);
  ir_nodes_print(&t->nodes,
                 "!%" PRIu32 " = !DICompositeType(tag: DW_TAG_array_type, baseType: !%" PRIu32 ", size: %" PRIu64
                 ", elements: !%" PRIu32 ")\n",
                 array, byte, 8 * size, list);
  return array;
}

static uint32_t type_of(struct frame_type *t, LLVMTypeRef type, uint32_t scope)
{
  uint64_t known, size = bits_of(t, type);
  if (coro_map_get(&t->types, coro_map_key(type), &known))
    return (uint32_t)known;
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  const char *name = type_name(t, type);
  uint32_t number;
  if (kind == LLVMStructTypeKind)
    return struct_of(t, type, scope);
  if (kind == LLVMPointerTypeKind) {
    number = ir_nodes_number(&t->nodes);
    ir_nodes_print(&t->nodes,
                   "!%" PRIu32 " = !DIDerivedType(tag: DW_TAG_pointer_type, name: \"%s\", baseType: null, "
                   "size: %" PRIu64 ")\n",
                   number, name, size);
  } else if (kind == LLVMIntegerTypeKind || strncmp(name, "__", 2) == 0) {
    number = ir_nodes_number(&t->nodes);
    ir_nodes_print(&t->nodes,
                   "!%" PRIu32 " = !DIBasicType(name: \"%s\", size: %" PRIu64 ", encoding: %s, "
                   "flags: DIFlagArtificial)\n",
                   number, name, size, kind == LLVMIntegerTypeKind ? "DW_ATE_signed" : "DW_ATE_float");
  } else {
    number = byte_array_type(t, LLVMABISizeOfType(t->low->layout, type));
  }
  coro_map_put(&t->types, coro_map_key(type), number);
  return number;
}

/* ---- Fields ---- */

/* Maps each value to the first record that declares the whole of it. */
static void find_declarations(struct frame_type *t)
{
  const struct coro_debug *debug = t->low->debug;
  for (uint32_t r = debug->record_count; r--;) {
    const struct debug_record *record = &debug->records[r];
    uint32_t value = record->value ? ir_id(&t->low->fn, record->value) : IR_NONE;
    if (value != IR_NONE && record->declares && record->operations && !*record->operations && !*record->fragment)
      coro_map_put(&t->declarations, (uint64_t)value + 1, r);
  }
}

static const struct debug_record *declaration_of(const struct frame_type *t, uint32_t value)
{
  uint64_t record;
  return value != IR_NONE && coro_map_get(&t->declarations, (uint64_t)value + 1, &record)
             ? &t->low->debug->records[record]
             : NULL;
}

struct member {
  const char *name;
  size_t name_length;
  LLVMMetadataRef type;  /* type of the source variable, or NULL */
  uint32_t number;       /* number of the derived type if there is no source variable */
  uint64_t size;         /* in bits */
};

static void describe_variable(struct frame_type *t, const struct debug_record *record, struct member *m)
{
  enum { VARIABLE_NAME = 1, VARIABLE_TYPE = 3 };
  struct coro_arena *arena = t->low->arena;
  LLVMMetadataRef name = ir_node_operand(arena, t->low->context, record->variable, VARIABLE_NAME);
  unsigned length = 0;
  m->type = ir_node_operand(arena, t->low->context, record->variable, VARIABLE_TYPE);
  m->name = name ? LLVMGetMDString(LLVMMetadataAsValue(t->low->context, name), &length) : NULL;
  m->name_length = length;
}

static void describe_type(struct frame_type *t, const struct coro_field *field, uint32_t frame, struct member *m)
{
  LLVMTypeRef type = field->type;
  if (!type && t->low->allocas.items[t->low->allocas.of_value[field->value]].size == field->size)
    type = t->low->allocas.items[t->low->allocas.of_value[field->value]].type;
  if (type && LLVMABISizeOfType(t->low->layout, type) != field->size)
    type = NULL; /* an array alloca, or with padding for realignment */
  m->number = type ? type_of(t, type, frame) : byte_array_type(t, field->size);
  if (type)
    m->size = bits_of(t, type);
  if (m->name)
    return;
  char *name = coro_arena_printf(t->low->arena, "%s_%" PRIu32, type ? type_name(t, type) : "", t->unnamed++);
  m->name = name ? name : "";
  m->name_length = strlen(m->name);
}

static void describe_member(struct frame_type *t, const struct coro_field *field, uint32_t frame, struct member *m)
{
  static const char *const names[] = {[CORO_FIELD_RESUME] = "__resume_fn",
                                      [CORO_FIELD_DESTROY] = "__destroy_fn",
                                      [CORO_FIELD_PROMISE] = "__promise",
                                      [CORO_FIELD_INDEX] = "__coro_index",
                                      [CORO_FIELD_HEADER] = "__coro_header"};
  /* the list of heap blocks of allocas */
  bool list = (uint32_t)(field - t->low->frame.fields) == t->low->frame.heap_field;
  const struct debug_record *record = list ? NULL : declaration_of(t, field->value);
  *m = (struct member){.size = 8 * field->size};
  /* a spill slot holds an address, not the declared variable */
  if (record && !field->realign && field->kind != CORO_FIELD_SPILL)
    describe_variable(t, record, m);
  if (field->kind <= CORO_FIELD_HEADER) {
    m->name = names[field->kind];
    m->name_length = strlen(m->name);
  }
  if (m->type && m->name)
    return;
  if (field->kind == CORO_FIELD_INDEX) {
    m->number = ir_nodes_number(&t->nodes);
    ir_nodes_print(&t->nodes, "!%" PRIu32 " = !DIBasicType(name: \"__coro_index\", size: %" PRIu64 ", encoding: %s)\n",
                   m->number, m->size, field->size == 1 ? "DW_ATE_unsigned_char" : "DW_ATE_unsigned");
  } else if (field->kind < CORO_FIELD_PROMISE) {
    m->number = ir_nodes_number(&t->nodes);
    ir_nodes_print(&t->nodes,
                   "!%" PRIu32 " = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: %" PRIu64 ")\n",
                   m->number, m->size);
  } else {
    m->type = NULL;
    describe_type(t, field, frame, m);
  }
}

static uint32_t write_member(struct frame_type *t, const struct coro_field *field, uint32_t frame)
{
  struct member m;
  describe_member(t, field, frame, &m);
  uint32_t number = ir_nodes_number(&t->nodes);
  ir_nodes_print(&t->nodes, "!%" PRIu32 " = !DIDerivedType(tag: DW_TAG_member, name: ", number);
  ir_nodes_string(&t->nodes, m.name, m.name_length);
  ir_nodes_print(&t->nodes, ", scope: !%" PRIu32 ", file: ", frame);
  ir_nodes_reference(&t->nodes, number, TYPE_FILE, t->file);
  ir_nodes_print(&t->nodes, ", line: %u, baseType: ", t->line);
  if (m.type)
    ir_nodes_reference(&t->nodes, number, MEMBER_TYPE, m.type);
  else
    ir_nodes_print(&t->nodes, "!%" PRIu32, m.number);
  ir_nodes_print(&t->nodes, ", size: %" PRIu64 ", align: %" PRIu64 ", offset: %" PRIu64 ", flags: DIFlagArtificial)\n",
                 m.size, 8 * field->align, 8 * field->offset);
  return number;
}

LLVMMetadataRef debug_frame_type(const struct coro_lowering *low)
{
  struct frame_type t = {.low = low,
                         .file = LLVMDIScopeGetFile(low->debug->subprogram),
                         .line = LLVMDISubprogramGetLine(low->debug->subprogram)};
  uint32_t count = low->frame.field_count;
  const uint32_t *order = coro_frame_by_offset(low->arena, &low->frame);
  uint32_t *members = CORO_NEW_ARRAY(low->arena, uint32_t, count);
  const char *function = LLVMGetValueName2(low->fn.function, &(size_t){0});
  char *name = coro_arena_printf(low->arena, "%s.coro_frame_ty", function);
  if (!order || !members || !name)
    return NULL;
  ir_nodes_init(&t.nodes, low->arena, low->context);
  coro_map_init(&t.types, low->arena);
  coro_map_init(&t.declarations, low->arena);
  find_declarations(&t);
  uint32_t frame = ir_nodes_number(&t.nodes);
  for (uint32_t f = 0; f < count; f++)
    members[f] = write_member(&t, &low->frame.fields[order[f]], frame);
  uint32_t list = write_list(&t, members, count);
  ir_nodes_print(&t.nodes, "!%" PRIu32 " = !DICompositeType(tag: DW_TAG_structure_type, ", frame);
  write_place(&t, frame, name, IR_NONE);
  ir_nodes_print(&t.nodes,
                 ", size: %" PRIu64 ", align: %" PRIu64 ", flags: DIFlagArtificial, elements: !%" PRIu32 ")\n",
                 8 * low->frame.size, 8 * low->frame.align, list);
  return ir_nodes_parse(&t.nodes) ? t.nodes.made[frame] : NULL;
}
