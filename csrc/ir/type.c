/* Creates types with checks. Depth and text length are memoized per type, so that shared subtypes cost nothing
   twice. */
#include "ir/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llvm-c/Core.h"

#define MAX_BITS (1u << 23)
#define MAX_ADDRESS_SPACES (1u << 24)
#define TOO_DEEP ((uint64_t)IR_MAX_TYPE_DEPTH + 1)

void ir_types_init(struct ir_types *types, struct coro_arena *arena, LLVMContextRef context, LLVMTargetDataRef layout)
{
  types->context = context;
  types->arena = arena;
  ir_sizes_init(&types->sizes, arena, layout);
  coro_map_init(&types->bulk, arena);
}

struct kind {
  LLVMTypeKind kind;
  const char *word, *places;
};

static const struct kind *type_kind_of(LLVMTypeRef type)
{
  static const struct kind kinds[] = {
#define CORO_TYPE_KIND(name, word, places, text, make) {LLVM##name##TypeKind, word, places},
#include "llvm_types.def"
  };
  LLVMTypeKind wanted = LLVMGetTypeKind(type);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kinds[i].kind == wanted)
      return &kinds[i];
  static const struct kind unknown = {LLVMVoidTypeKind, "unknown", ""};
  return &unknown;
}

const char *ir_type_kind_name(LLVMTypeRef type)
{
  return type_kind_of(type)->word;
}

/* `place` is one of the letters of llvm_types.def; false for opaque structs. */
static bool is_type_allowed_at_place(LLVMTypeRef type, char place)
{
  bool value = place == 'R' || place == 'P';
  bool opaque = LLVMGetTypeKind(type) == LLVMStructTypeKind && LLVMIsOpaqueStruct(type);
  return strchr(type_kind_of(type)->places, place) && !(value && opaque);
}

coro_status ir_report_invalid_type(coro_diags *diags, const char *message, const char *hint)
{
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EUSAGE, .rule = "type", .message = message, .hint = hint});
}

/* ---- Depth and length ---- */

static uint64_t type_count_of_element(LLVMTypeRef part, uint64_t bulk)
{
  return LLVMGetTypeKind(part) == LLVMStructTypeKind && !LLVMIsLiteralStruct(part) ? 1 : (uint32_t)bulk;
}

/* Returns depth << 32 | number of types in its text. A named struct counts as one type. Memoized, because a type may
   contain the same subtype exponentially often. */
static uint64_t depth_and_count_of_nested_types(struct ir_types *types, LLVMTypeRef type, uint64_t level)
{
  uint64_t bulk, depth = 0, words = 1;
  unsigned count = LLVMGetNumContainedTypes(type);
  if (!count)
    return UINT64_C(1) << 32 | 1;
  if (coro_map_get(&types->bulk, coro_map_key(type), &bulk))
    return bulk;
  LLVMTypeRef *parts = level < IR_MAX_TYPE_DEPTH ? malloc(count * sizeof(LLVMTypeRef)) : NULL;
  if (!parts)
    return TOO_DEEP << 32;
  LLVMGetSubtypes(type, parts);
  for (unsigned i = 0; i < count; i++) {
    uint64_t part = depth_and_count_of_nested_types(types, parts[i], level + 1);
    depth = part >> 32 > depth ? part >> 32 : depth;
    words += type_count_of_element(parts[i], part);
    words = words > IR_MAX_TYPE_LENGTH ? IR_MAX_TYPE_LENGTH + 1 : words;
  }
  free(parts);
  bulk = (depth < TOO_DEEP ? depth + 1 : TOO_DEEP) << 32 | words;
  (void)coro_map_put(&types->bulk, coro_map_key(type), bulk); /* the arena records a failure */
  return bulk;
}

static bool is_type_nested_too_deeply(struct ir_types *types, LLVMTypeRef type)
{
  return depth_and_count_of_nested_types(types, type, 0) >> 32 >= IR_MAX_TYPE_DEPTH;
}

bool ir_type_size_and_alignment(struct ir_types *types, LLVMTypeRef type, uint64_t *size, uint64_t *align)
{
  *size = *align = 0;
  if (is_type_nested_too_deeply(types, type) || !ir_size_of(&types->sizes, type, size) || *size >= IR_MAX_BYTES)
    return false;
  *align = LLVMABIAlignmentOfType(types->sizes.layout, type);
  return *align; /* wraps to 0 above LLVM-C's maximum alignment */
}

/* ---- Printing ---- */

/* LLVM prints a named struct at top level with its definition, but inside an array by name. */
static char *print_named_struct_type(LLVMTypeRef type)
{
  static const char opening[] = "[0 x ";
  char *text = LLVMPrintTypeToString(LLVMArrayType2(type, 0));
  size_t length = strlen(text) - strlen(opening) - 1;
  memmove(text, text + strlen(opening), length);
  text[length] = 0;
  return text;
}

coro_status ir_type_print(struct ir_types *types, LLVMTypeRef type, char **text, coro_diags *diags)
{
  uint64_t bulk = depth_and_count_of_nested_types(types, type, 0);
  bool named = LLVMGetTypeKind(type) == LLVMStructTypeKind && LLVMGetStructName(type);
  if (!named && (bulk >> 32 >= IR_MAX_TYPE_DEPTH || (uint32_t)bulk > IR_MAX_TYPE_LENGTH))
    return ir_report_invalid_type(diags, "the type is too long or nested too deeply to print",
                                  "print its elements instead");
  *text = named ? print_named_struct_type(type) : LLVMPrintTypeToString(type);
  return *text ? CORO_OK : CORO_ENOMEM;
}

/* ---- Creation ---- */

struct making {
  struct ir_types *types;
  const coro_type_spec *wanted;
  LLVMTypeRef *parts;
  unsigned count;
  coro_diags *diags;
};

static coro_status reject_type(const struct making *m, const char *message, const char *hint)
{
  return ir_report_invalid_type(m->diags, message, hint);
}

static coro_status reject_element_type(const struct making *m, LLVMTypeRef part, const char *what)
{
  char *text = NULL, message[200];
  bool opaque = LLVMGetTypeKind(part) == LLVMStructTypeKind && LLVMIsOpaqueStruct(part);
  coro_status status = ir_type_print(m->types, part, &text, NULL);
  snprintf(message, sizeof message, "%s cannot be of type %.120s%s", what,
           status == CORO_OK ? text : ir_type_kind_name(part), opaque ? ", which has no elements" : "");
  coro_string_free(text);
  return reject_type(m, message, NULL);
}

static coro_status check_element_types(const struct making *m, unsigned from, char place, const char *what)
{
  uint64_t words = 1;
  for (unsigned i = from; i < m->count; i++) {
    if (!is_type_allowed_at_place(m->parts[i], place))
      return reject_element_type(m, m->parts[i], what);
    uint64_t bulk = depth_and_count_of_nested_types(m->types, m->parts[i], 0);
    words += type_count_of_element(m->parts[i], bulk);
    if (bulk >> 32 >= IR_MAX_TYPE_DEPTH - 1)
      return reject_type(m, "the type is nested too deeply", "nest at most 1998 structs and arrays");
    if (words > IR_MAX_TYPE_LENGTH)
      return reject_type(m, "the type is too long", "name the structs in it");
  }
  return CORO_OK;
}

static coro_status make_integer_type(const struct making *m, LLVMTypeRef *type)
{
  if (!m->wanted->number || m->wanted->number > MAX_BITS)
    return reject_type(m, "an integer has 1 to 8388608 bits", "use an array or a struct of integers for more");
  *type = LLVMIntTypeInContext(m->types->context, (unsigned)m->wanted->number);
  return CORO_OK;
}

static coro_status make_pointer_type(const struct making *m, LLVMTypeRef *type)
{
  if (m->wanted->number >= MAX_ADDRESS_SPACES)
    return reject_type(m, "address spaces are numbered 0 to 16777215", "use a smaller number; 0 is the default");
  *type = LLVMPointerTypeInContext(m->types->context, (unsigned)m->wanted->number);
  return CORO_OK;
}

static coro_status make_struct_type(const struct making *m, LLVMTypeRef *type)
{
  LLVMContextRef context = m->types->context;
  const char *name = m->wanted->name;
  coro_status status = check_element_types(m, 0, 'S', "an element of a struct");
  if (status)
    return status;
  if (!name) {
    *type = LLVMStructTypeInContext(context, m->parts, m->count, m->wanted->flag);
    return CORO_OK;
  }
  if (!*name)
    return reject_type(m, "the struct name is empty", "pass no name for a literal struct");
  if (LLVMGetTypeByName2(context, name)) {
    char message[200];
    snprintf(message, sizeof message, "the context already has a type %%%.120s", name);
    return reject_type(m, message, "look it up with parse(), or choose another name");
  }
  *type = LLVMStructCreateNamed(context, name);
  LLVMStructSetBody(*type, m->parts, m->count, m->wanted->flag);
  return CORO_OK;
}

static coro_status make_array_type(const struct making *m, LLVMTypeRef *type)
{
  if (m->count != 1)
    return reject_type(m, "an array type takes exactly one element type",
                       "use a struct as its element for several types");
  coro_status status = check_element_types(m, 0, 'A', "an element of an array");
  if (!status)
    *type = LLVMArrayType2(*m->parts, m->wanted->number);
  return status;
}

static coro_status make_vector_type(const struct making *m, LLVMTypeRef *type)
{
  if (m->count != 1)
    return reject_type(m, "a vector type takes exactly one element type",
                       "its elements are numbers or pointers of one type");
  if (!m->wanted->number || m->wanted->number > UINT32_MAX)
    return reject_type(m, "a vector has 1 to 4294967295 elements", "use an array for none or more");
  coro_status status = check_element_types(m, 0, 'V', "an element of a vector");
  unsigned length = (unsigned)m->wanted->number;
  if (!status)
    *type = m->wanted->flag ? LLVMScalableVectorType(*m->parts, length) : LLVMVectorType(*m->parts, length);
  return status;
}

static coro_status make_function_type(const struct making *m, LLVMTypeRef *type)
{
  if (!m->count)
    return reject_type(m, "a function type needs a result type, which may be void", NULL);
  if (!is_type_allowed_at_place(*m->parts, 'R'))
    return reject_element_type(m, *m->parts, "the result of a function");
  coro_status status = check_element_types(m, 1, 'P', "a parameter");
  if (!status)
    *type = LLVMFunctionType(*m->parts, m->parts + 1, m->count - 1, m->wanted->flag);
  return status;
}

static coro_status make_primitive_type(const struct making *m, LLVMTypeRef *type)
{
  static const struct {
    const char *text;
    LLVMTypeRef (*make)(LLVMContextRef);
  } plain[] = {
#define CORO_TYPE_KIND(name, word, places, text, make) {text, make},
#include "llvm_types.def"
  };
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (plain[i].make && m->wanted->name && !strcmp(plain[i].text, m->wanted->name)) {
      *type = plain[i].make(m->types->context);
      return CORO_OK;
    }
  char message[200];
  snprintf(message, sizeof message, "there is no type %.120s", m->wanted->name ? m->wanted->name : "without a name");
  return reject_type(m, message, IR_TYPE_HINT);
}

coro_status ir_type_make(struct ir_types *types, const coro_type_spec *wanted, LLVMTypeRef *type, coro_diags *diags)
{
  static coro_status (*const makers[])(const struct making *, LLVMTypeRef *) = {
      [CORO_TYPE_PLAIN] = make_primitive_type,   [CORO_TYPE_INTEGER] = make_integer_type,
      [CORO_TYPE_POINTER] = make_pointer_type,   [CORO_TYPE_STRUCT] = make_struct_type,
      [CORO_TYPE_ARRAY] = make_array_type,       [CORO_TYPE_VECTOR] = make_vector_type,
      [CORO_TYPE_FUNCTION] = make_function_type,
  };
  struct making m = {types, wanted, wanted->parts, (unsigned)wanted->count, diags};
  if ((unsigned)wanted->kind >= sizeof makers / sizeof *makers || wanted->count > IR_MAX_TYPE_LENGTH)
    return reject_type(&m, "there is no such type", NULL);
  return makers[wanted->kind](&m, type);
}
