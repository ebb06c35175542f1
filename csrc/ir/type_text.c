/* A recursive-descent parser for types. LLVM's own parser accepts types only inside a module, and does not know the
   context's named structs there.
   Requires: base, LLVM-C. Guarantees: new types in their context. */
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "ir/type.h"

struct reader {
  struct ir_types *types;
  struct coro_arena *scratch;
  const char *at;
  unsigned depth;
  coro_diags *diags;
};

struct parts {
  CORO_VEC(LLVMTypeRef) types;
  bool variadic;
};

static coro_status report_expected_token(const struct reader *r, const char *what)
{
  char message[200];
  snprintf(message, sizeof message, *r->at ? "expected %s before '%.60s'" : "expected %s at the end of the type", what,
           r->at);
  return ir_report_invalid_type(r->diags, message, IR_TYPE_HINT);
}

static bool is_identifier_character(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void skip_blanks(struct reader *r)
{
  r->at += strspn(r->at, " \t\r\n");
}

/* Consumes `wanted` if it comes next. */
static bool accept_token(struct reader *r, const char *wanted)
{
  skip_blanks(r);
  size_t length = strlen(wanted);
  if (strncmp(r->at, wanted, length) || (is_identifier_character(*wanted) && is_identifier_character(r->at[length])))
    return false;
  r->at += length;
  return true;
}

static coro_status expect_token(struct reader *r, const char *wanted)
{
  char what[16];
  snprintf(what, sizeof what, "'%s'", wanted);
  return accept_token(r, wanted) ? CORO_OK : report_expected_token(r, what);
}

static coro_status parse_type_number(struct reader *r, uint64_t *value)
{
  skip_blanks(r);
  const char *start = r->at;
  for (*value = 0; *r->at >= '0' && *r->at <= '9'; r->at++) {
    uint64_t digit = (uint64_t)(*r->at - '0');
    if (*value > (UINT64_MAX - digit) / 10)
      return ir_report_invalid_type(r->diags, "the number is too large", NULL);
    *value = *value * 10 + digit;
  }
  return r->at == start ? report_expected_token(r, "a number") : CORO_OK;
}

static coro_status make_parsed_type(struct reader *r, coro_type_spec wanted, LLVMTypeRef *type)
{
  return ir_type_make(r->types, &wanted, type, r->diags);
}

static coro_status parse_type_within_depth_limit(struct reader *r, LLVMTypeRef *type);

/* Parses comma-separated types up to and including `end`. */
static coro_status parse_type_list(struct reader *r, struct parts *parts, const char *end)
{
  bool first = true;
  while (!accept_token(r, end)) {
    LLVMTypeRef part;
    coro_status status = first ? CORO_OK : expect_token(r, ",");
    if (!status && *end == ')' && accept_token(r, "...")) {
      parts->variadic = true;
      return expect_token(r, end);
    }
    status = status ? status : parse_type_within_depth_limit(r, &part);
    if (status)
      return status;
    if (!coro_vec_push(r->scratch, &parts->types, part))
      return CORO_ENOMEM;
    first = false;
  }
  return CORO_OK;
}

static coro_status parse_struct_type(struct reader *r, bool packed, LLVMTypeRef *type)
{
  struct parts parts = {0};
  coro_status status = parse_type_list(r, &parts, packed ? "}>" : "}");
  coro_type_spec wanted = {CORO_TYPE_STRUCT, parts.types.items, parts.types.count, 0, packed, NULL};
  return status ? status : make_parsed_type(r, wanted, type);
}

static coro_status parse_array_or_vector_type(struct reader *r, coro_type_form kind, const char *end, LLVMTypeRef *type)
{
  LLVMTypeRef element;
  coro_type_spec wanted = {kind, &element, 1, 0, false, NULL};
  coro_status status = CORO_OK;
  if (kind == CORO_TYPE_VECTOR && accept_token(r, "vscale")) {
    wanted.flag = true;
    status = expect_token(r, "x");
  }
  status = status ? status : parse_type_number(r, &wanted.number);
  status = status ? status : expect_token(r, "x");
  status = status ? status : parse_type_within_depth_limit(r, &element);
  status = status ? status : expect_token(r, end);
  return status ? status : make_parsed_type(r, wanted, type);
}

static coro_status parse_pointer_type(struct reader *r, LLVMTypeRef *type)
{
  coro_type_spec wanted = {CORO_TYPE_POINTER, NULL, 0, 0, false, NULL};
  coro_status status = CORO_OK;
  if (accept_token(r, "addrspace")) {
    status = expect_token(r, "(");
    status = status ? status : parse_type_number(r, &wanted.number);
    status = status ? status : expect_token(r, ")");
  }
  return status ? status : make_parsed_type(r, wanted, type);
}

static int hex_digit(char c)
{
  static const char digits[] = "0123456789abcdef0123456789ABCDEF";
  const char *digit = c ? strchr(digits, c) : NULL;
  return digit ? (int)((digit - digits) % 16) : -1;
}

/* Parses a quoted name after %; `\22` is an escaped character. NULL: the closing quote is missing, or no memory. */
static char *parse_quoted_type_name(struct reader *r)
{
  const char *end = strchr(r->at, '"');
  char *name = end ? coro_arena_alloc(r->scratch, (size_t)(end - r->at) + 1) : NULL, *to = name;
  for (; name && r->at < end; r->at++) {
    bool escaped = *r->at == '\\' && end - r->at > 2 && hex_digit(r->at[1]) >= 0 && hex_digit(r->at[2]) >= 0;
    *to++ = escaped ? (char)(hex_digit(r->at[1]) * 16 + hex_digit(r->at[2])) : *r->at;
    r->at += escaped ? 2 : 0;
  }
  if (name) {
    *to = 0;
    r->at++;
  }
  return name;
}

static coro_status parse_named_type(struct reader *r, LLVMTypeRef *type)
{
  const char *start = r->at;
  char *name;
  if (*r->at == '"') {
    r->at++;
    name = parse_quoted_type_name(r);
  } else {
    while (is_identifier_character(*r->at) || (*r->at && strchr("-$.", *r->at)))
      r->at++;
    name = coro_arena_strndup(r->scratch, start, (size_t)(r->at - start));
  }
  if (!name || !*name)
    return coro_arena_failed(r->scratch) ? CORO_ENOMEM : report_expected_token(r, "the name of a struct");
  *type = LLVMGetTypeByName2(r->types->context, name);
  if (*type)
    return CORO_OK;
  char message[200];
  snprintf(message, sizeof message, "the module has no type %%%.120s", name);
  return ir_report_invalid_type(r->diags, message, "create it first: types.struct([...], name=...)");
}

static coro_status parse_keyword_type(struct reader *r, LLVMTypeRef *type)
{
  const char *start = r->at;
  while (is_identifier_character(*r->at))
    r->at++;
  size_t length = (size_t)(r->at - start);
  if (!length)
    return report_expected_token(r, "a type");
  if (*start == 'i' && length > 1 && strspn(start + 1, "0123456789") == length - 1) {
    coro_type_spec wanted = {CORO_TYPE_INTEGER, NULL, 0, 0, false, NULL};
    r->at = start + 1;
    coro_status status = parse_type_number(r, &wanted.number);
    return status ? status : make_parsed_type(r, wanted, type);
  }
  if (length == strlen("target") && !strncmp(start, "target", length))
    return ir_report_invalid_type(r->diags, "target extension types cannot be parsed from text",
                                  "use the type of an existing value");
  char *word = coro_arena_strndup(r->scratch, start, length);
  coro_type_spec wanted = {CORO_TYPE_PLAIN, NULL, 0, 0, false, word};
  return word ? make_parsed_type(r, wanted, type) : CORO_ENOMEM;
}

static coro_status parse_non_function_type(struct reader *r, LLVMTypeRef *type)
{
  if (accept_token(r, "<{"))
    return parse_struct_type(r, true, type);
  if (accept_token(r, "{"))
    return parse_struct_type(r, false, type);
  if (accept_token(r, "["))
    return parse_array_or_vector_type(r, CORO_TYPE_ARRAY, "]", type);
  if (accept_token(r, "<"))
    return parse_array_or_vector_type(r, CORO_TYPE_VECTOR, ">", type);
  if (accept_token(r, "ptr"))
    return parse_pointer_type(r, type);
  return accept_token(r, "%") ? parse_named_type(r, type) : parse_keyword_type(r, type);
}

static coro_status parse_function_type(struct reader *r, LLVMTypeRef *type)
{
  struct parts parts = {0};
  if (!coro_vec_push(r->scratch, &parts.types, *type))
    return CORO_ENOMEM;
  coro_status status = parse_type_list(r, &parts, ")");
  coro_type_spec wanted = {CORO_TYPE_FUNCTION, parts.types.items, parts.types.count, 0, parts.variadic, NULL};
  return status ? status : make_parsed_type(r, wanted, type);
}

static coro_status parse_type_within_depth_limit(struct reader *r, LLVMTypeRef *type)
{
  if (++r->depth > IR_MAX_TYPE_DEPTH)
    return ir_report_invalid_type(r->diags, "the type is nested too deeply", NULL);
  coro_status status = parse_non_function_type(r, type);
  r->depth--;
  return status;
}

coro_status ir_type_parse(struct ir_types *types, const char *text, LLVMTypeRef *type, coro_diags *diags)
{
  struct reader r = {types, coro_arena_create(), text, 0, diags};
  if (!r.scratch)
    return CORO_ENOMEM;
  coro_status status = parse_type_within_depth_limit(&r, type);
  if (!status && accept_token(&r, "("))
    status = parse_function_type(&r, type);
  skip_blanks(&r);
  if (!status && *r.at)
    status = report_expected_token(&r, "the end of the type");
  coro_arena_free(r.scratch);
  return status;
}
