/* Validates operands at an insertion point: they belong to the module and function, and LLVM can fold them.
   Requires: ir_building.h.
   Guarantees: TypeError, StaleViewError or UsageError for an unusable value. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ir_building.h"

enum {
  MOST_BITS = 1 << 16,     /* width limit of folded integers: LLVM's multiplication is quadratic */
  MOST_ELEMENTS = 1 << 16, /* length limit of folded vectors and aggregates */
  MOST_NESTED = 200,       /* nesting limit of constant expressions, which LLVM prints and frees recursively */
  MOST_VISITED = 4096
};

const char *site_text_of_type(struct build_site *site, LLVMTypeRef type)
{
  char *spelled = NULL, *text = site->type_texts[site->last_text ^= 1];
  coro_status status = coro_type_print(site->locked, type, &spelled, NULL);
  const char *shown = status == CORO_OK ? spelled : coro_type_kind(type);
  if (snprintf(text, sizeof site->type_texts[0], "%s", shown) >= (int)sizeof site->type_texts[0])
    memcpy(text + sizeof site->type_texts[0] - 4, "...", 3);
  coro_string_free(spelled);
  return text;
}

/* The function that contains a value; NULL for constants and globals. */
static LLVMValueRef function_containing_value(LLVMValueRef value)
{
  if (LLVMIsAInstruction(value))
    return LLVMGetBasicBlockParent(LLVMGetInstructionParent(value));
  return LLVMIsAArgument(value) ? LLVMGetParamParent(value) : NULL;
}

LLVMValueRef site_operand(struct build_site *site, PyObject *object, const char *what)
{
  LLVMValueRef value = core_ir_unwrap(site->state, object, site->module);
  if (!value)
    return NULL;
  if (LLVMValueIsBasicBlock(value))
    return site_raise_usage_error(site, "%s cannot be a block", what);
  if (LLVMGetValueKind(value) == LLVMInlineAsmValueKind)
    return site_raise_usage_error(site, "%s cannot be inline assembly, which can only be called", what);
  LLVMValueRef function = function_containing_value(value);
  if (function && function != site->function)
    return site_raise_usage_error(site, "%s is a value of another function", what);
  site->constant = site->constant && LLVMIsConstant(value);
  return value;
}

LLVMValueRef site_operand_of(struct build_site *site, PyObject *object, LLVMTypeRef type, const char *what)
{
  LLVMValueRef value = site_operand(site, object, what);
  if (value && LLVMTypeOf(value) != type)
    return site_raise_usage_error(site, "%s has type %s; it must have type %s", what,
                                  site_text_of_type(site, LLVMTypeOf(value)), site_text_of_type(site, type));
  return value;
}

struct site_values *site_parse_operands(struct build_site *site, PyObject *list, const char *what)
{
  if (!PyTuple_Check(list))
    return (void *)PyErr_Format(PyExc_TypeError, "%s must be a tuple, not %R", what, list);
  size_t count = (size_t)PyTuple_Size(list);
  struct site_values *values = PyMem_Malloc(sizeof *values + count * sizeof values->items[0]);
  if (!values)
    return (void *)PyErr_NoMemory();
  values->count = count;
  values->next = site->lists;
  site->lists = values;
  for (size_t i = 0; i < count; i++) {
    values->items[i] = site_operand(site, PyTuple_GetItem(list, (Py_ssize_t)i), what);
    if (!values->items[i])
      return NULL;
  }
  return values;
}

LLVMBasicBlockRef site_block(struct build_site *site, PyObject *object, const char *what)
{
  LLVMValueRef value = core_ir_unwrap(site->state, object, site->module);
  if (!value)
    return NULL;
  if (!LLVMValueIsBasicBlock(value))
    return site_raise_usage_error(site, "%s must be a block", what);
  LLVMBasicBlockRef block = LLVMValueAsBasicBlock(value);
  if (LLVMGetBasicBlockParent(block) != site->function)
    return site_raise_usage_error(site, "%s is a block of another function", what);
  return block;
}

LLVMTypeRef site_type(struct build_site *site, PyObject *object, const char *what)
{
  return core_type_of_object_or_text(site->module, site->locked, object, what);
}

bool site_is_value_type(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMVoidTypeKind:
  case LLVMLabelTypeKind:
  case LLVMMetadataTypeKind:
  case LLVMFunctionTypeKind: return false;
  case LLVMStructTypeKind: return !LLVMIsOpaqueStruct(type);
  default: return true;
  }
}

bool site_is_data_type(LLVMTypeRef type)
{
  return site_is_value_type(type) && LLVMGetTypeKind(type) != LLVMTokenTypeKind;
}

bool site_check_type_is_sized(struct build_site *site, LLVMTypeRef type, const char *what)
{
  uint64_t size = 0, align = 0;
  coro_status status = coro_type_layout(site->locked, type, &size, &align);
  if (status == CORO_OK && (align || LLVMGetTypeKind(type) == LLVMScalableVectorTypeKind))
    return true;
  return site_raise_usage_error(site, "%s has type %s, which has no size in memory", what,
                                site_text_of_type(site, type));
}

bool site_check_alignment(struct build_site *site, uint64_t align)
{
  if (!(align & (align - 1)) && align <= UINT64_C(1) << 31)
    return true;
  return site_raise_usage_error(site, "an alignment must be a power of two of at most 2147483648, not %llu",
                                (unsigned long long)align);
}

void site_set_alignment_and_volatility(LLVMValueRef built, uint64_t align, bool is_volatile)
{
  if (align)
    LLVMSetAlignment(built, (unsigned)align);
  LLVMSetVolatile(built, is_volatile);
}

static LLVMValueRef pointer_operand(struct build_site *site, PyObject *object, LLVMTypeKind (*kind_of)(LLVMTypeRef),
                                    const char *expected)
{
  LLVMValueRef pointer = site_operand(site, object, "the pointer");
  if (pointer && kind_of(LLVMTypeOf(pointer)) != LLVMPointerTypeKind)
    return site_raise_usage_error(site, "expected %s, not a value of type %s", expected,
                                  site_text_of_type(site, LLVMTypeOf(pointer)));
  return pointer;
}

LLVMValueRef site_pointer(struct build_site *site, PyObject *object)
{
  return pointer_operand(site, object, LLVMGetTypeKind, "a pointer");
}

LLVMValueRef site_pointers(struct build_site *site, PyObject *object)
{
  return pointer_operand(site, object, site_scalar_kind, "a pointer or a vector of pointers");
}

LLVMTypeRef site_scalar(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMVectorTypeKind || kind == LLVMScalableVectorTypeKind ? LLVMGetElementType(type) : type;
}

LLVMTypeKind site_scalar_kind(LLVMTypeRef type)
{
  return LLVMGetTypeKind(site_scalar(type));
}

bool site_has_float_type(LLVMTypeRef type)
{
  return !strcmp(coro_type_kind(site_scalar(type)), "float");
}

bool site_have_same_vector_length(LLVMTypeRef a, LLVMTypeRef b)
{
  LLVMTypeKind kind = LLVMGetTypeKind(a), other = LLVMGetTypeKind(b);
  bool vector = kind == LLVMVectorTypeKind || kind == LLVMScalableVectorTypeKind;
  if (!vector)
    return other != LLVMVectorTypeKind && other != LLVMScalableVectorTypeKind;
  return kind == other && LLVMGetVectorSize(a) == LLVMGetVectorSize(b);
}

/* ---- Arguments ---- */

/* Converts one argument that Python's own parser does not know. */
static bool parse_llvm_argument(struct build_site *site, PyObject *given, char letter, LLVMValueRef *last,
                                va_list *list)
{
  LLVMValueRef *value;
  LLVMTypeRef *type;
  LLVMBasicBlockRef *block;
  struct site_values **values;
  switch (letter) {
  case 'T': type = va_arg(*list, LLVMTypeRef *); return (*type = site_type(site, given, va_arg(*list, const char *)));
  case 'B':
    block = va_arg(*list, LLVMBasicBlockRef *);
    return (*block = site_block(site, given, va_arg(*list, const char *)));
  case 'L':
    values = va_arg(*list, struct site_values **);
    return (*values = site_parse_operands(site, given, va_arg(*list, const char *)));
  case 'P': return (*va_arg(*list, LLVMValueRef *) = site_pointer(site, given));
  case 'N': return site_read_name(site, given);
  default:
    value = va_arg(*list, LLVMValueRef *);
    *value = letter == 'V' ? site_operand(site, given, va_arg(*list, const char *))
                           : site_operand_of(site, given, LLVMTypeOf(*last), va_arg(*list, const char *));
    *last = *value;
    return *value;
  }
}

static bool parse_alignment(struct build_site *site, PyObject *given, uint64_t *align)
{
  *align = PyLong_AsUnsignedLongLongMask(given);
  return !PyErr_Occurred() && site_check_alignment(site, *align);
}

bool site_parse(struct build_site *site, PyObject *args, const char *format, ...)
{
  size_t given = (size_t)PyTuple_Size(args), wanted = strlen(format) + 1;
  if (given != wanted)
    return PyErr_Format(PyExc_TypeError, "expected %zu arguments, not %zu", wanted, given);
  bool fits = true;
  LLVMValueRef last = NULL;
  va_list list;
  va_start(list, format);
  for (size_t i = 0; fits && format[i]; i++) {
    PyObject *argument = PyTuple_GetItem(args, (Py_ssize_t)i + 1);
    switch (format[i]) {
    case 'O': *va_arg(list, PyObject **) = argument; break;
    case 's': fits = PyArg_Parse(argument, "s", va_arg(list, const char **)); break;
    case 'I': fits = PyArg_Parse(argument, "I", va_arg(list, unsigned *)); break;
    case 'i': fits = PyArg_Parse(argument, "i", va_arg(list, int *)); break;
    case 'p': fits = PyArg_Parse(argument, "p", va_arg(list, int *)); break;
    case 'A': fits = parse_alignment(site, argument, va_arg(list, uint64_t *)); break;
    default: fits = parse_llvm_argument(site, argument, format[i], &last, &list);
    }
  }
  va_end(list);
  return fits;
}

/* ---- Limits of constant folding ---- */

static bool is_small_enough_to_fold(LLVMTypeRef type)
{
  LLVMTypeRef scalar = site_scalar(type);
  if (LLVMGetTypeKind(scalar) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(scalar) > MOST_BITS)
    return false;
  switch (LLVMGetTypeKind(type)) {
  case LLVMVectorTypeKind:
  case LLVMScalableVectorTypeKind: return LLVMGetVectorSize(type) <= MOST_ELEMENTS;
  case LLVMArrayTypeKind: return LLVMGetArrayLength2(type) <= MOST_ELEMENTS;
  case LLVMStructTypeKind: return LLVMCountStructElementTypes(type) <= MOST_ELEMENTS;
  default: return true;
  }
}

/* Nesting depth of a constant expression, up to MOST_NESTED + 1. */
static unsigned nesting_depth(LLVMValueRef constant, unsigned level, unsigned *visited)
{
  unsigned deepest = 0;
  if (LLVMIsAGlobalValue(constant) || !LLVMIsAUser(constant) || LLVMIsABlockAddress(constant))
    return 0;
  if (level > MOST_NESTED || ++*visited > MOST_VISITED)
    return MOST_NESTED + 1;
  int count = LLVMGetNumOperands(constant);
  for (int i = 0; i < count && deepest <= MOST_NESTED; i++) {
    unsigned inside = nesting_depth(LLVMGetOperand(constant, (unsigned)i), level + 1, visited);
    deepest = inside > deepest ? inside : deepest;
  }
  return deepest + 1;
}

bool site_check_constants_are_small_to_fold(struct build_site *site, const LLVMValueRef *operands, size_t count,
                                            LLVMTypeRef result)
{
  if (!site->constant)
    return true;
  bool small = is_small_enough_to_fold(result);
  for (size_t i = 0; i < count && small; i++) {
    unsigned visited = 0;
    small = is_small_enough_to_fold(LLVMTypeOf(operands[i])) && nesting_depth(operands[i], 0, &visited) <= MOST_NESTED;
  }
  return small ||
         site_raise_usage_error(site, "all operands are constants, and folding constants of this size in LLVM would "
                                      "not terminate in reasonable time");
}
