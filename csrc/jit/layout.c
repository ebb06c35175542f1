/* Detects modules with structs or arrays in memory whose layout under the module's data layout (LLVM's default if it
   has none) is not that of the machine for which code is generated: offsets computed during lowering would be wrong.
   Requires: a module that verifies, the machine's layout. Guarantees: a diagnostic that names such a type, if there
   is one. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "ir/operand.h"
#include "ir/size.h"
#include "jit/jit_internal.h"
#include "llvm-c/Target.h"

/* The type of the accessed or allocated memory, or NULL. */
static LLVMTypeRef type_of_memory_or_gep_source(LLVMValueRef instruction)
{
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMAlloca: return LLVMGetAllocatedType(instruction);
  case LLVMGetElementPtr: return LLVMGetGEPSourceElementType(instruction);
  case LLVMLoad: return LLVMTypeOf(instruction);
  case LLVMStore: return LLVMTypeOf(LLVMGetOperand(instruction, STORE_VALUE));
  default: return NULL;
  }
}

struct comparison {
  struct ir_sizes own, machine;
  struct coro_map compared; /* structs and arrays */
  LLVMTypeRef type; /* the first type that differs */
  char what[40]; /* the number that differs, with its unit */
  const char *unit;
  uint64_t here, there;
};

static bool find_different_struct_or_array(struct comparison *c, LLVMTypeRef type);

static bool find_different_element(struct comparison *c, LLVMTypeRef type)
{
  if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
    return find_different_struct_or_array(c, LLVMGetElementType(type));
  unsigned count = LLVMCountStructElementTypes(type);
  for (unsigned i = 0; i < count; i++) {
    if (find_different_struct_or_array(c, LLVMStructGetTypeAtIndex(type, i)))
      return true;
    c->here = LLVMOffsetOfElement(c->own.layout, type, i);
    c->there = LLVMOffsetOfElement(c->machine.layout, type, i);
    if (c->here != c->there) {
      c->type = type;
      c->unit = "";
      snprintf(c->what, sizeof c->what, "has element %u at offset", i);
      return true;
    }
  }
  return false;
}

/* Compares structs and arrays, each once. Types without a known size have no element with a fixed offset. */
static bool find_different_struct_or_array(struct comparison *c, LLVMTypeRef type)
{
  LLVMTypeKind kind = type ? LLVMGetTypeKind(type) : LLVMVoidTypeKind;
  if ((kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind) || coro_map_has(&c->compared, coro_map_key(type)) ||
      !coro_map_put(&c->compared, coro_map_key(type), 1) || !ir_size_of(&c->own, type, &c->here) ||
      !ir_size_of(&c->machine, type, &c->there) || c->here >= IR_MAX_BYTES)
    return false;
  if (c->here == c->there)
    return find_different_element(c, type);
  c->type = type;
  c->unit = " bytes";
  snprintf(c->what, sizeof c->what, "takes");
  return true;
}

static bool find_different_type_in_memory(struct comparison *c, LLVMModuleRef module)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        if (find_different_struct_or_array(c, type_of_memory_or_gep_source(i)))
          return true;
  return false;
}

static coro_status reject_different_layout(const struct comparison *c, const char *layout_name, coro_diags *diags)
{
  char message[400];
  char *text = LLVMPrintTypeToString(c->type);
  snprintf(message, sizeof message, "%.200s %s %llu%s in %s, but %llu on the machine for which code is generated", text,
           c->what, (unsigned long long)c->here, c->unit, layout_name, (unsigned long long)c->there);
  LLVMDisposeMessage(text);
  return coro_diags_add(diags,
                        &(coro_diag){.status = CORO_EJIT,
                                     .rule = "names-a-layout",
                                     .message = message,
                                     .hint = "set the machine's `target triple` in the module before it is lowered, as "
                                             "`pycoro compile -target` and, in Python, Module(ir, host=True) do"});
}

coro_status jit_check_memory_type_layouts(LLVMModuleRef module, const char *machine_layout, coro_diags *diags)
{
  const char *layout = LLVMGetDataLayoutStr(module);
  if (!strcmp(layout, machine_layout))
    return CORO_OK;
  struct coro_arena *arena = coro_arena_create();
  if (!arena)
    return jit_report_no_memory(diags);
  LLVMTargetDataRef own = LLVMCreateTargetData(layout), real = LLVMCreateTargetData(machine_layout);
  struct comparison comparison = {0};
  ir_sizes_init(&comparison.own, arena, own);
  ir_sizes_init(&comparison.machine, arena, real);
  coro_map_init(&comparison.compared, arena);
  const char *name = *layout ? "the module's data layout" : "LLVM's default layout";
  coro_status status =
      find_different_type_in_memory(&comparison, module) ? reject_different_layout(&comparison, name, diags) : CORO_OK;
  if (coro_arena_failed(arena)) /* a failed allocation makes a size unknown */
    status = jit_report_no_memory(diags);
  coro_arena_free(arena);
  LLVMDisposeTargetData(own);
  LLVMDisposeTargetData(real);
  return status;
}
