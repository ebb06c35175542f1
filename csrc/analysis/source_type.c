/* Types of source variables, read from DWARF metadata. */
#include "analysis/source_type.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "llvm-c/DebugInfo.h"
#include "transform/debug_nodes.h"

enum { TYPE_NAME = 2, TYPE_BASE = 5, COMPOSITE_ELEMENTS = 6, ENUMERATOR_NAME = 0 }; /* operand indices */
enum { MOST_TYPES = 4096, MOST_DERIVED = 64, MOST_DIMENSIONS = 16 };
enum tag { /* DWARF tags */
           TAG_ARRAY = 0x01,
           TAG_CLASS = 0x02,
           TAG_ENUMERATION = 0x04,
           TAG_MEMBER = 0x0d,
           TAG_POINTER = 0x0f,
           TAG_REFERENCE = 0x10,
           TAG_STRUCTURE = 0x13,
           TAG_TYPEDEF = 0x16,
           TAG_UNION = 0x17,
           TAG_INHERITANCE = 0x1c,
           TAG_BASE = 0x24,
           TAG_CONST = 0x26,
           TAG_VOLATILE = 0x35,
           TAG_VARIANT_PART = 0x33,
           TAG_RESTRICT = 0x37,
           TAG_RVALUE_REFERENCE = 0x42,
           TAG_ATOMIC = 0x47
};

void coro_source_types_init(struct coro_source_types *types, LLVMContextRef context, struct coro_arena *arena,
                            struct coro_arena *scratch)
{
  *types = (struct coro_source_types){.context = context, .arena = arena, .scratch = scratch};
  coro_map_init(&types->numbers, scratch);
}

static LLVMMetadataRef operand_of_debug_node(const struct coro_source_types *types, LLVMMetadataRef node,
                                             unsigned index)
{
  return ir_node_operand(types->scratch, types->context, node, index);
}

static bool is_derived_type_node(LLVMMetadataRef node)
{
  return LLVMGetMetadataKind(node) == LLVMDIDerivedTypeMetadataKind;
}

static unsigned dwarf_tag_of_node(LLVMMetadataRef node)
{
  return LLVMGetDINodeTag(node);
}

/* const and the like, which do not affect the representation. */
static bool is_type_qualifier(unsigned tag)
{
  return tag == TAG_CONST || tag == TAG_VOLATILE || tag == TAG_RESTRICT || tag == TAG_ATOMIC;
}

/* Removes typedefs and qualifiers; NULL: void. */
static LLVMMetadataRef without_typedefs_and_qualifiers(const struct coro_source_types *types, LLVMMetadataRef node)
{
  for (unsigned i = 0; node && i < MOST_DERIVED && is_derived_type_node(node); i++) {
    unsigned tag = dwarf_tag_of_node(node);
    if (tag != TAG_TYPEDEF && !is_type_qualifier(tag))
      break;
    node = operand_of_debug_node(types, node, TYPE_BASE);
  }
  return node;
}

static const char *name_operand_of_node(const struct coro_source_types *types, LLVMMetadataRef node, unsigned index)
{
  unsigned length;
  const char *text = ir_node_string_operand(types->scratch, types->context, node, index, &length);
  const char *copy = text && length ? coro_arena_strndup(types->arena, text, length) : "";
  return copy ? copy : "";
}

static const char *suffix_of_pointer_tag(unsigned tag)
{
  switch (tag) {
  case TAG_POINTER: return " *";
  case TAG_REFERENCE: return " &";
  case TAG_RVALUE_REFERENCE: return " &&";
  default: return NULL;
  }
}

/* Approximate source spelling: "const char *", "point", "int"; "" if unnamed. */
static const char *source_name_of_type(const struct coro_source_types *types, LLVMMetadataRef node, unsigned depth)
{
  if (!node)
    return "void";
  if (LLVMGetMetadataKind(node) == LLVMDISubroutineTypeMetadataKind)
    return "function";
  const char *name = name_operand_of_node(types, node, TYPE_NAME);
  if (*name || !is_derived_type_node(node) || depth == MOST_DERIVED)
    return name;
  const char *suffix = suffix_of_pointer_tag(dwarf_tag_of_node(node)),
             *before = dwarf_tag_of_node(node) == TAG_CONST && depth ? "const " : "";
  if (!suffix && !is_type_qualifier(dwarf_tag_of_node(node)))
    return name;
  const char *base = source_name_of_type(types, operand_of_debug_node(types, node, TYPE_BASE), depth + 1);
  bool tight = suffix && *base && strchr("*&", base[strlen(base) - 1]);
  name = coro_arena_printf(types->arena, "%s%s%s", before, *base ? base : "?", suffix ? suffix + tight : "");
  return name ? name : "";
}

static uint32_t add_source_type(struct coro_source_types *types, LLVMMetadataRef node, coro_source_type type)
{
  if (!coro_vec_push(types->scratch, &types->nodes, node))
    return CORO_NONE;
  if (!coro_vec_push(types->arena, &types->types, type)) {
    types->nodes.count--;
    return CORO_NONE;
  }
  return types->types.count - 1;
}

uint32_t coro_source_type_of(struct coro_source_types *types, LLVMMetadataRef node)
{
  uint64_t known;
  LLVMMetadataRef meant = without_typedefs_and_qualifiers(types, node);
  if (!meant || types->types.count >= MOST_TYPES)
    return CORO_NONE;
  if (coro_map_get(&types->numbers, coro_map_key(node), &known))
    return (uint32_t)known;
  coro_source_type type = {.name = source_name_of_type(types, node, 0), .element = CORO_NONE};
  type.size = (coro_source_type_bits(types, meant) + 7) / 8;
  uint32_t number = add_source_type(types, meant, type);
  return number != CORO_NONE && coro_map_put(&types->numbers, coro_map_key(node), number) ? number : CORO_NONE;
}

/* ---- Components of types ---- */

static LLVMValueRef *elements_of_type_node(const struct coro_source_types *types, LLVMMetadataRef node, unsigned *count)
{
  LLVMMetadataRef list = operand_of_debug_node(types, node, COMPOSITE_ELEMENTS);
  LLVMValueRef value = list ? LLVMMetadataAsValue(types->context, list) : NULL;
  *count = value ? LLVMGetMDNodeNumOperands(value) : 0;
  LLVMValueRef *elements = CORO_NEW_ARRAY(types->scratch, LLVMValueRef, *count + 1);
  if (elements && *count)
    LLVMGetMDNodeOperands(value, elements);
  return elements;
}

/* The text after the last occurrence of the word: quoted names come first. */
static const char *text_after_last_or_null(const char *text, const char *word)
{
  const char *found = NULL;
  for (const char *at = text ? strstr(text, word) : NULL; at; at = strstr(found, word))
    found = at + strlen(word);
  return found;
}

/* LLVM-C exposes an encoding only in printed text. */
static void read_base_type(struct coro_source_types *types, coro_source_type *type, LLVMMetadataRef node)
{
  static const struct {
    const char *encoding;
    coro_source_type_kind kind;
    bool is_signed;
  } kinds[] = {{"DW_ATE_boolean", CORO_SOURCE_BOOLEAN, false},    {"DW_ATE_float", CORO_SOURCE_FLOAT, true},
               {"DW_ATE_signed_char", CORO_SOURCE_INTEGER, true}, {"DW_ATE_unsigned_char", CORO_SOURCE_INTEGER, false},
               {"DW_ATE_signed", CORO_SOURCE_INTEGER, true},      {"DW_ATE_unsigned", CORO_SOURCE_INTEGER, false},
               {"DW_ATE_UTF", CORO_SOURCE_CHARACTER, false}};
  char *text = ir_node_text(types->context, node);
  const char *encoding = text_after_last_or_null(text, ", encoding: ");
  size_t length = encoding ? strcspn(encoding, ",)") : 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (length && strlen(kinds[i].encoding) == length && strncmp(encoding, kinds[i].encoding, length) == 0) {
      type->kind = kinds[i].kind;
      type->is_signed = kinds[i].is_signed;
    }
  if (type->kind == CORO_SOURCE_INTEGER && type->size == 1 &&
      strcmp(name_operand_of_node(types, node, TYPE_NAME), "char") == 0)
    type->kind = CORO_SOURCE_CHARACTER;
  if (text)
    LLVMDisposeMessage(text);
}

static coro_source_part read_enumerator(const struct coro_source_types *types, LLVMMetadataRef node)
{
  coro_source_part part = {.name = name_operand_of_node(types, node, ENUMERATOR_NAME), .type = CORO_NONE};
  char *text = ir_node_text(types->context, node);
  const char *value = text_after_last_or_null(text, ", value: ");
  if (value)
    part.value = *value == '-' ? strtoll(value, NULL, 10) : (int64_t)strtoull(value, NULL, 10);
  if (text)
    LLVMDisposeMessage(text);
  return part;
}

static bool read_enumeration_type(struct coro_source_types *types, coro_source_type *type, LLVMMetadataRef node)
{
  unsigned count;
  LLVMValueRef *elements = elements_of_type_node(types, node, &count);
  coro_source_part *parts = CORO_NEW_ARRAY(types->arena, coro_source_part, count + 1);
  LLVMMetadataRef base = without_typedefs_and_qualifiers(types, operand_of_debug_node(types, node, TYPE_BASE));
  if (!elements || !parts)
    return false;
  if (base)
    read_base_type(types, type, base);
  for (unsigned i = 0; i < count; i++)
    if (elements[i] && LLVMGetMetadataKind(LLVMValueAsMetadata(elements[i])) == LLVMDIEnumeratorMetadataKind)
      parts[type->part_count++] = read_enumerator(types, LLVMValueAsMetadata(elements[i]));
  type->kind = CORO_SOURCE_ENUMERATION;
  type->parts = parts;
  return true;
}

/* A non-static member, or a base class at a constant offset. */
static bool is_record_member_or_base(LLVMMetadataRef node)
{
  if (!is_derived_type_node(node) || LLVMDITypeGetFlags(node) & LLVMDIFlagStaticMember)
    return false;
  return dwarf_tag_of_node(node) == TAG_MEMBER ||
         (dwarf_tag_of_node(node) == TAG_INHERITANCE && !(LLVMDITypeGetFlags(node) & LLVMDIFlagVirtual));
}

static coro_source_part read_record_member(struct coro_source_types *types, LLVMMetadataRef node)
{
  LLVMMetadataRef base = operand_of_debug_node(types, node, TYPE_BASE),
                  meant = without_typedefs_and_qualifiers(types, base);
  bool inherited = dwarf_tag_of_node(node) == TAG_INHERITANCE;
  coro_source_part part = {.name = inherited && meant ? name_operand_of_node(types, meant, TYPE_NAME)
                                                      : name_operand_of_node(types, node, TYPE_NAME),
                           .type = coro_source_type_of(types, base),
                           .offset = LLVMDITypeGetOffsetInBits(node)};
  if (LLVMDITypeGetFlags(node) & LLVMDIFlagBitField)
    part.bits = LLVMDITypeGetSizeInBits(node);
  return part;
}

static bool read_record_type(struct coro_source_types *types, uint32_t type_number, LLVMMetadataRef node)
{
  unsigned count;
  LLVMValueRef *elements = elements_of_type_node(types, node, &count);
  coro_source_part *parts = CORO_NEW_ARRAY(types->arena, coro_source_part, count + 1);
  size_t filled = 0;
  bool whole = !(LLVMDITypeGetFlags(node) & LLVMDIFlagFwdDecl);
  if (!elements || !parts)
    return false;
  for (unsigned i = 0; i < count && whole; i++) {
    LLVMMetadataRef element = elements[i] ? LLVMValueAsMetadata(elements[i]) : NULL;
    if (element && is_record_member_or_base(element))
      parts[filled++] = read_record_member(types, element);
    whole = !element || LLVMGetMetadataKind(element) != LLVMDICompositeTypeMetadataKind ||
            dwarf_tag_of_node(element) != TAG_VARIANT_PART;
  }
  if (!whole)
    return true;
  coro_source_type *type = &types->types.items[type_number]; /* reread: adding members moves the table */
  type->kind = dwarf_tag_of_node(node) == TAG_UNION ? CORO_SOURCE_UNION : CORO_SOURCE_RECORD;
  type->parts = parts;
  type->part_count = filled;
  return true;
}

uint64_t coro_source_type_bits(const struct coro_source_types *types, LLVMMetadataRef node)
{
  LLVMMetadataRef meant = without_typedefs_and_qualifiers(types, node);
  return meant && LLVMGetMetadataKind(meant) != LLVMDISubroutineTypeMetadataKind ? LLVMDITypeGetSizeInBits(meant) : 0;
}

/* The member or base class that contains these bits; *offset becomes the offset in it. NULL: there is none. */
static LLVMMetadataRef member_containing_bits_or_null(const struct coro_source_types *types, LLVMMetadataRef node,
                                                      uint64_t *offset, uint64_t size)
{
  unsigned count;
  LLVMValueRef *elements = elements_of_type_node(types, node, &count);
  for (unsigned i = 0; elements && i < count; i++) {
    LLVMMetadataRef element = elements[i] ? LLVMValueAsMetadata(elements[i]) : NULL;
    if (!element || !is_record_member_or_base(element) || LLVMDITypeGetFlags(element) & LLVMDIFlagBitField)
      continue;
    uint64_t start = LLVMDITypeGetOffsetInBits(element);
    uint64_t bits = coro_source_type_bits(types, operand_of_debug_node(types, element, TYPE_BASE));
    if (start <= *offset && *offset - start < bits && size <= bits - (*offset - start)) {
      *offset -= start;
      return element;
    }
  }
  return NULL;
}

LLVMMetadataRef coro_source_member_at(const struct coro_source_types *types, LLVMMetadataRef node, uint64_t offset,
                                      uint64_t size, const char **name)
{
  for (unsigned depth = 0; depth < MOST_DERIVED; depth++) {
    LLVMMetadataRef record = without_typedefs_and_qualifiers(types, node);
    if (!record || LLVMGetMetadataKind(record) != LLVMDICompositeTypeMetadataKind ||
        (dwarf_tag_of_node(record) != TAG_STRUCTURE && dwarf_tag_of_node(record) != TAG_CLASS))
      return NULL;
    LLVMMetadataRef found = member_containing_bits_or_null(types, record, &offset, size);
    if (!found)
      return NULL;
    const char *own = dwarf_tag_of_node(found) == TAG_INHERITANCE ? "" : name_operand_of_node(types, found, TYPE_NAME);
    if (*own && !(*name = coro_arena_printf(types->arena, "%s.%s", *name, own)))
      return NULL;
    node = operand_of_debug_node(types, found, TYPE_BASE);
    if (!offset && coro_source_type_bits(types, node) == size && *own)
      return node;
  }
  return NULL;
}

/* The length of an array dimension; 0 if unknown. */
static uint64_t array_length_of_node(const struct coro_source_types *types, LLVMValueRef range)
{
  char *text = range ? ir_node_text(types->context, LLVMValueAsMetadata(range)) : NULL;
  const char *count = text_after_last_or_null(text, "DISubrange(count: ");
  uint64_t length = count ? strtoull(count, NULL, 10) : 0; /* -1: flexible */
  if (text)
    LLVMDisposeMessage(text);
  return length > INT64_MAX ? 0 : length;
}

/* A multidimensional array is one node; its inner array types have none. */
static bool read_array_type(struct coro_source_types *types, uint32_t type_number, LLVMMetadataRef node)
{
  unsigned count;
  LLVMMetadataRef base = operand_of_debug_node(types, node, TYPE_BASE);
  LLVMValueRef *elements = elements_of_type_node(types, node, &count);
  uint32_t inner = base ? coro_source_type_of(types, base) : CORO_NONE;
  if (!elements)
    return false;
  if (inner == CORO_NONE || !count || count > MOST_DIMENSIONS)
    return true;
  uint64_t size = types->types.items[inner].size;
  const char *base_name = types->types.items[inner].name, *lengths = "";
  for (unsigned i = count; i--;) {
    uint64_t length = array_length_of_node(types, elements[i]);
    if (!length || (size && length > INT64_MAX / size))
      return true;
    size *= length;
    lengths = coro_arena_printf(types->scratch, "[%" PRIu64 "]%s", length, lengths);
    const char *name = lengths ? coro_arena_printf(types->arena, "%s%s", base_name, lengths) : NULL;
    if (!name)
      return false;
    coro_source_type array = {.kind = CORO_SOURCE_ARRAY, .name = name, .size = size, .element = inner, .count = length};
    if (i)
      inner = add_source_type(types, NULL, array);
    else
      types->types.items[type_number] = array;
    if (inner == CORO_NONE)
      return false;
  }
  return true;
}

static bool read_type_node(struct coro_source_types *types, uint32_t type_number, LLVMMetadataRef node)
{
  coro_source_type *type = &types->types.items[type_number];
  if (LLVMGetMetadataKind(node) == LLVMDISubroutineTypeMetadataKind)
    return true;
  switch (dwarf_tag_of_node(node)) {
  case TAG_BASE: read_base_type(types, type, node); return true;
  case TAG_POINTER:
  case TAG_REFERENCE:
  case TAG_RVALUE_REFERENCE: type->kind = CORO_SOURCE_POINTER; return true;
  case TAG_ENUMERATION: return read_enumeration_type(types, type, node);
  case TAG_STRUCTURE:
  case TAG_CLASS:
  case TAG_UNION: return read_record_type(types, type_number, node);
  case TAG_ARRAY: return read_array_type(types, type_number, node);
  default: return true;
  }
}

bool coro_source_types_read(struct coro_source_types *types)
{
  for (uint32_t i = 0; i < types->types.count; i++) {
    LLVMMetadataRef node = types->nodes.items[i];
    types->nodes.items[i] = NULL;
    if (node && !read_type_node(types, i, node))
      return false;
  }
  return !coro_arena_failed(types->arena) && !coro_arena_failed(types->scratch);
}
