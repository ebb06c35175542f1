/* Sizes of types: for any type the query neither crashes nor overflows, and its cost is bounded by the type's
   description.
   Requires: the whole library. */
#include <string.h>

#include "check.h"
#include "ir/edit.h"
#include "ir/size.h"
#include "llvm-c/IRReader.h"

static const struct {
  const char *type;
  uint64_t bytes; /* UINT64_MAX: none */
} types[] = {
    {"i32", 4},
    {"i24", 4},
    {"ptr", 8},
    {"ptr addrspace(1)", 4},
    {"{ i8, i64 }", 16},
    {"<{ i8, i64 }>", 9},
    {"{}", 0},
    {"[0 x i32]", 0},
    {"[4 x { i8, i16 }]", 16},
    {"<3 x i1>", 1},
    {"target(\"amdgcn.named.barrier\", 0)", 16},
    {"target(\"spirv.Event\")", 8},
    {"<vscale x 4 x i32>", UINT64_MAX},
    {"{ <vscale x 4 x i32>, <vscale x 4 x i32> }", UINT64_MAX},
    {"[2 x <vscale x 4 x i32>]", UINT64_MAX},
    {"{ i32, [3 x { <vscale x 1 x i8> }] }", UINT64_MAX},
    {"target(\"aarch64.svcount\")", UINT64_MAX},
    {"[2 x target(\"aarch64.svcount\")]", UINT64_MAX},
    {"target(\"riscv.vector.tuple\", <vscale x 8 x i8>, 2)", UINT64_MAX},
    {"target(\"no.such.type\")", UINT64_MAX},
    {"%opaque", UINT64_MAX},
    {"[3 x %opaque]", UINT64_MAX},
    {"[2305843009213693952 x i64]", IR_MAX_BYTES},
    {"[18446744073709551615 x i8]", IR_MAX_BYTES},
    {"[4294967296 x [4294967296 x [4294967296 x i8]]]", IR_MAX_BYTES},
    {"[4294967296 x [4294967296 x {}]]", 0},
    {"[576460752303423487 x i16]", IR_MAX_BYTES - 1}, /* the largest even size that is exact */
    {"[576460752303423488 x i16]", IR_MAX_BYTES},
    {"[1152921504606846974 x i8]", IR_MAX_BYTES - 1},
    {"[1152921504606846975 x i8]", IR_MAX_BYTES},
    {"{ [9223372036854775807 x i8], [9223372036854775807 x i8], i32 }", IR_MAX_BYTES},
};

static const char layout[] = "target datalayout = \"e-p:64:64-p1:32:32-i64:64\"\n";

/* The type is that of @t. */
static LLVMModuleRef module_of(LLVMContextRef context, const char *type)
{
  char text[512], *message = NULL;
  LLVMModuleRef module = NULL;
  int length = snprintf(text, sizeof text, "%s%%opaque = type opaque\n@t = external global %s\n", layout, type);
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, (size_t)length, "");
  CHECK(!LLVMParseIRInContext(context, buffer, &module, &message), "%s: %s", type, message);
  LLVMDisposeMessage(message);
  return module;
}

static void check_types(void)
{
  CHECK(ir_size_product_up_to_max_bytes(3, IR_MAX_BYTES / 3) == IR_MAX_BYTES / 3 * 3,
        "the largest product that is exact");
  CHECK(ir_size_product_up_to_max_bytes(3, IR_MAX_BYTES / 3 + 1) == IR_MAX_BYTES,
        "the smallest product that saturates");
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = module_of(context, types[i].type);
    struct coro_arena *arena = coro_arena_create();
    struct ir_sizes sizes;
    LLVMTypeRef type = LLVMGlobalGetValueType(LLVMGetNamedGlobal(module, "t"));
    ir_sizes_init(&sizes, arena, LLVMGetModuleDataLayout(module));
    for (int again = 0; again < 2; again++) {
      uint64_t bytes = 1;
      bool sized = ir_size_of(&sizes, type, &bytes);
      CHECK(sized == (types[i].bytes != UINT64_MAX), "%s", types[i].type);
      CHECK(!sized || bytes == types[i].bytes, "%s: %llu", types[i].type, (unsigned long long)bytes);
      CHECK(sized == ir_has_fixed_size(&sizes, type), "%s", types[i].type);
    }
    coro_arena_free(arena);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
  }
}

/* Pairs of pairs: a hundred structs that hold 2^100 bytes. */
static void check_pairs(void)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMTargetDataRef data = LLVMCreateTargetData("e-p:64:64");
  struct coro_arena *arena = coro_arena_create();
  struct ir_sizes sizes;
  uint64_t bytes = 0;
  LLVMTypeRef type = LLVMInt8TypeInContext(context), pair[2];
  ir_sizes_init(&sizes, arena, data);
  for (int depth = 0; depth < 100; depth++) {
    pair[0] = pair[1] = type;
    type = LLVMStructTypeInContext(context, pair, 2, false);
  }
  CHECK(ir_size_of(&sizes, type, &bytes) && bytes == IR_MAX_BYTES, "%llu", (unsigned long long)bytes);
  coro_arena_free(arena);
  LLVMDisposeTargetData(data);
  LLVMContextDispose(context);
}

static void check_pointers(void)
{
  static const struct {
    const char *layout;
    unsigned size, align, malloc_align, index, code;
  } layouts[] = {
      {"e-p:64:64", 8, 8, 16, 64, 0},
      {"e", 8, 8, 16, 64, 0},
      {"e-p:32:32-P1", 4, 4, 8, 32, 1},
      {"e-p:24:32", 4, 4, 8, 24, 0},
      {"e-p:16:8-P2-A5", 2, 1, 4, 16, 2},
      {"e-p:40:64", 8, 8, 16, 40, 0},
      {"e-p:24:8", 3, 1, 4, 24, 0},
      {"e-p:64:64:64:32", 8, 8, 16, 32, 0},
      {"e-p0:160:256:256:32", 32, 32, 64, 32, 0},
      {"e-p1:32:32-p:64:1024", 128, 128, 256, 64, 0},
      {"e-p:64:64:64:16-pu1:8:8", 8, 8, 16, 16, 0},
  };
  LLVMContextRef context = LLVMContextCreate();
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    LLVMTargetDataRef data = LLVMCreateTargetData(layouts[i].layout);
    CHECK(ir_pointer_size(context, data) == layouts[i].size, "%s", layouts[i].layout);
    CHECK(ir_pointer_align(context, data) == layouts[i].align, "%s", layouts[i].layout);
    CHECK(ir_malloc_align(context, data) == layouts[i].malloc_align, "%s", layouts[i].layout);
    CHECK(LLVMGetIntTypeWidth(ir_index_type(context, data)) == layouts[i].index, "%s", layouts[i].layout);
    CHECK(ir_program_address_space(data) == layouts[i].code, "%s", layouts[i].layout);
    LLVMDisposeTargetData(data);
  }
  LLVMContextDispose(context);
}

/* Constants without a kind in LLVM's C API are not instructions; a number of any width is read, or does not fit. */
static void check_constants(void)
{
  static char text[] = "@a = global ptr dso_local_equivalent @f\n@b = global ptr no_cfi @f\n@c = global ptr @f\n"
                       "@d = global i128 18446744073709551616\n@e = global i128 7\n@p = global i8 poison\n"
                       "define void @f() {\n  ret void\n}\n";
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = NULL;
  char *message = NULL;
  uint64_t number = 0;
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, sizeof text - 1, "");
  CHECK(!LLVMParseIRInContext(context, buffer, &module, &message), "%s", message);
  for (const char *name = "abc"; *name; name++) {
    char one[2] = {*name, 0};
    LLVMValueRef value = LLVMGetInitializer(LLVMGetNamedGlobal(module, one));
    CHECK(!edit_is_instruction(value) && !edit_is_call(value), "@%s", one);
    CHECK(edit_strip_casts_and_zero_geps(value) == value, "@%s", one);
  }
  CHECK(!edit_read_integer_constant(LLVMGetInitializer(LLVMGetNamedGlobal(module, "d")), &number), "2^64");
  CHECK(edit_read_integer_constant(LLVMGetInitializer(LLVMGetNamedGlobal(module, "e")), &number) && number == 7,
        "i128 7");
  CHECK(!edit_read_integer_constant(LLVMGetInitializer(LLVMGetNamedGlobal(module, "p")), &number), "poison");
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

int main(void)
{
  check_types();
  check_pairs();
  check_pointers();
  check_constants();
  return check_done("test_size");
}
