/* Types by their texts and components: unsupported types are EUSAGE with a reason, and no query crashes the process.
   Requires: the whole library. */
#include <string.h>

#include "check.h"
#include "llvm-c/Core.h"
#include "pycoro.h"

static const char ir[] = "target datalayout = \"e-p:64:64-p1:32:32-i64:64\"\n"
                         "%pair = type { i8, i64 }\n%opaque = type opaque\n"
                         "@a = external global %pair\n@b = external global %opaque\n"
                         "declare void @c(target(\"aarch64.svcount\"))\n";

static const struct {
  const char *text, *kind;
  uint64_t size, align;
} known[] = {
    {"i24", "integer", 4, 4},
    {"ptr addrspace(1)", "pointer", 4, 4},
    {"{ i8, %pair }", "struct", 24, 8},
    {"<{ i8, i64 }>", "struct", 9, 1},
    {"[3 x i16]", "array", 6, 2},
    {"<3 x i1>", "vector", 1, 1},
    {"x86_fp80", "float", 16, 16},
    {"%opaque", "struct", 0, 0},
    {"<vscale x 2 x i64>", "vector", 0, 0},
    {"void (ptr, ...)", "function", 0, 0},
    {"token", "token", 0, 0},
    {"[2305843009213693952 x i64]", "array", 0, 0},
};

static const char *const none[] = {
    "",
    "i0",
    "i8388609",
    "%none",
    "%\"open",
    "{ void }",
    "[2 x label]",
    "<2 x { i8 }>",
    "<0 x i8>",
    "void (void)",
    "%opaque ()",
    "i32 (i32) (i32)",
    "i32 x",
    "ptr addrspace(16777216)",
    "target(\"x\")",
    "[99999999999999999999 x i8]",
};

static void texts(coro_module *module, coro_diags *diags)
{
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    LLVMTypeRef type = NULL;
    char *text = NULL;
    uint64_t size = 1, align = 1;
    CHECK(coro_type_parse(module, known[i].text, &type, diags) == CORO_OK && type, "%s is read", known[i].text);
    CHECK(!strcmp(coro_type_kind(type), known[i].kind), "%s: %s", known[i].text, coro_type_kind(type));
    CHECK(!coro_type_layout(module, type, &size, &align) && size == known[i].size && align == known[i].align,
          "%s: %llu bytes, align %llu", known[i].text, (unsigned long long)size, (unsigned long long)align);
    CHECK(!coro_type_print(module, type, &text, diags) && !strcmp(text, known[i].text), "%s: %s", known[i].text, text);
    coro_string_free(text);
  }
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    LLVMTypeRef type = (LLVMTypeRef)(void *)&type;
    coro_diags_clear(diags);
    CHECK(coro_type_parse(module, none[i], &type, diags) == CORO_EUSAGE && !type, "%s is no type", none[i]);
    CHECK(coro_diags_count(diags) == 1 && *coro_diags_get(diags, 0)->message, "%s has a reason", none[i]);
  }
}

static void makings(coro_module *module)
{
  LLVMTypeRef pair = NULL, target, made = NULL;
  uint64_t offset = 7, size, align;
  CHECK(!coro_type_parse(module, "%pair", &pair, NULL), "%%pair");
  CHECK(!coro_type_offset(module, pair, 1, &offset) && offset == 8, "the second element");
  CHECK(coro_type_offset(module, pair, 2, &offset) == CORO_EUSAGE && !offset, "the third one");
  LLVMTypeRef parts[] = {pair, LLVMPointerTypeInContext(LLVMGetTypeContext(pair), 0)};
  coro_type_spec wanted = {CORO_TYPE_STRUCT, parts, 2, 0, false, "made"};
  CHECK(!coro_type_create(module, &wanted, &made, NULL) && !coro_type_offset(module, made, 1, &offset) && offset == 16,
        "a struct");
  CHECK(coro_type_create(module, &wanted, &made, NULL) == CORO_EUSAGE && !made, "another one of the name");
  wanted.kind = (coro_type_form)99;
  CHECK(coro_type_create(module, &wanted, &made, NULL) == CORO_EUSAGE, "what is no kind");
  target = LLVMTypeOf(LLVMGetParam(LLVMGetNamedFunction(coro_module_llvm(module), "c"), 0));
  CHECK(!coro_type_layout(module, target, &size, &align) && !size && !align, "a target's type has no size");
  CHECK(!strcmp(coro_type_kind(target), "target"), "nor any other kind");
}

/* Each type contains the preceding one twice, so the size grows exponentially. */
static void doubled(coro_module *module, bool named)
{
  LLVMTypeRef type = LLVMInt8TypeInContext(LLVMGetModuleContext(coro_module_llvm(module)));
  coro_status status = CORO_OK;
  uint64_t size, align;
  unsigned count = 0;
  for (; !status && count < 200; count++) {
    char name[16];
    snprintf(name, sizeof name, "n%u", count);
    LLVMTypeRef parts[] = {type, type};
    status = coro_type_create(module, &(coro_type_spec){CORO_TYPE_STRUCT, parts, 2, 0, false, named ? name : NULL},
                              &type, NULL);
    type = status ? parts[0] : type;
    CHECK(!coro_type_layout(module, type, &size, &align), "its layout is queried");
  }
  CHECK(named ? count == 200 && !align : count < 30 && size == UINT64_C(1) << (count - 1), "%u times", count);
}

static void nothing(coro_module *module)
{
  LLVMTypeRef type = NULL;
  char *text = NULL;
  uint64_t number = 0;
  coro_type_spec wanted = {CORO_TYPE_ARRAY, NULL, 1, 0, false, NULL};
  CHECK(coro_type_create(NULL, &wanted, &type, NULL) == CORO_EUSAGE, "make");
  CHECK(coro_type_create(module, NULL, &type, NULL) == CORO_EUSAGE, "make nothing");
  CHECK(coro_type_create(module, &wanted, &type, NULL) == CORO_EUSAGE, "make of nothing");
  CHECK(coro_type_parse(module, NULL, &type, NULL) == CORO_EUSAGE, "read");
  CHECK(coro_type_parse(module, "i8", NULL, NULL) == CORO_EUSAGE, "read to nowhere");
  CHECK(coro_type_print(module, NULL, &text, NULL) == CORO_EUSAGE, "print");
  CHECK(coro_type_layout(module, NULL, &number, &number) == CORO_EUSAGE, "layout");
  CHECK(coro_type_offset(module, NULL, 0, &number) == CORO_EUSAGE, "offset");
  CHECK(!*coro_type_kind(NULL), "kind");
}

int main(void)
{
  coro_module *module = NULL;
  coro_diags *diags = NULL;
  CHECK(!coro_diags_create(&diags) && !coro_module_parse(&module, ir, sizeof ir - 1, "types", diags), "a module");
  texts(module, diags);
  makings(module);
  doubled(module, false);
  doubled(module, true);
  nothing(module);
  LLVMTypeRef pointer = NULL;
  uint64_t size = 0, align = 0;
  LLVMSetDataLayout(coro_module_llvm(module), "e-p:32:32-p1:32:32-i64:64");
  coro_module_mark_edited(module);
  CHECK(!coro_type_parse(module, "ptr", &pointer, NULL) && !coro_type_layout(module, pointer, &size, &align) &&
            size == 4,
        "another layout");
  LLVMSetDataLayout(coro_module_llvm(module), "e-p:64:64-p1:32:32-i64:64");
  coro_module_mark_edited(module);
  CHECK(!coro_type_layout(module, pointer, &size, &align) && size == 8, "and back");
  CHECK(!coro_run(module, "coro-early", NULL, NULL, NULL), "a run");
  texts(module, diags);
  coro_module_free(module);
  coro_diags_free(diags);
  return check_done("type");
}
