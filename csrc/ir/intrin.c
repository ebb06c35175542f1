/* Maps LLVM's intrinsic ids to enum intrin. Lookups cost one array access; that of Swift's LLVM is found by name. */
#include "ir/intrin.h"

#include <string.h>

static const char *const names[INTRIN_ALL] = {
    "",
#define CORO_INTRIN(name, text) text,
#include "llvm_coroutine_intrinsics.def"
    "llvm.lifetime.start",
    "llvm.lifetime.end",
    "llvm.stacksave",
    "llvm.stackrestore",
    "llvm.ptrmask",
    "llvm.threadlocal.address",
    "llvm.va_start",
    "llvm.gcroot",
    "llvm.localescape",
    "llvm.stackprotector",
};

coro_abi_kind intrin_abi_of_id(enum intrin intrin)
{
  switch (intrin) {
#define CORO_ID(name, kind)                                                                                            \
  case INTRIN_##name: return kind;
#include "llvm_coroutine_intrinsics.def"
  default: return CORO_ABI_SWITCH;
  }
}

void intrin_table_init(struct intrin_table *table)
{
  memset(table, 0, sizeof *table);
  table->lowest = ~0u;
  for (int i = 1; i < INTRIN_ALL; i++) {
    unsigned id = LLVMLookupIntrinsicID(names[i], strlen(names[i]));
    table->llvm_id[i] = id;
    if (i >= INTRIN_COUNT || !id)
      continue;
    if (id < table->lowest)
      table->lowest = id;
    if (id > table->highest)
      table->highest = id;
  }
  for (int i = 1; i < INTRIN_COUNT; i++)
    if (table->llvm_id[i] && table->llvm_id[i] - table->lowest < sizeof table->of)
      table->of[table->llvm_id[i] - table->lowest] = (unsigned char)i;
}

/* The intrinsic of Swift's LLVM, which has no id in LLVM. */
static bool is_coro_id_retcon_once_dynamic(LLVMValueRef function)
{
  size_t length, wanted = strlen(names[INTRIN_ID_RETCON_DYNAMIC]);
  const char *name = LLVMGetValueName2(function, &length);
  return length == wanted && !memcmp(name, names[INTRIN_ID_RETCON_DYNAMIC], wanted);
}

enum intrin intrin_of_function(const struct intrin_table *table, LLVMValueRef function)
{
  unsigned id = LLVMGetIntrinsicID(function);
  if (!id)
    return is_coro_id_retcon_once_dynamic(function) ? INTRIN_ID_RETCON_DYNAMIC : INTRIN_NONE;
  if (id >= table->lowest && id <= table->highest)
    return (enum intrin)table->of[id - table->lowest];
  for (int i = INTRIN_COUNT; i < INTRIN_PTRMASK; i++)
    if (id == table->llvm_id[i])
      return (enum intrin)i;
  return INTRIN_NONE;
}

enum intrin intrin_of_call(const struct intrin_table *table, LLVMValueRef instruction)
{
  LLVMOpcode opcode = LLVMIsAInstruction(instruction) ? LLVMGetInstructionOpcode(instruction) : LLVMRet;
  if (opcode != LLVMCall && opcode != LLVMInvoke)
    return INTRIN_NONE;
  LLVMValueRef callee = LLVMGetCalledValue(instruction);
  return LLVMGetValueKind(callee) == LLVMFunctionValueKind ? intrin_of_function(table, callee) : INTRIN_NONE;
}

bool intrin_calls_one_of(LLVMValueRef call, const char *const *base_names, size_t count)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  unsigned id = LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
  size_t length;
  for (size_t i = 0; id && i < count; i++)
    if (strcmp(LLVMIntrinsicGetName(id, &length), base_names[i]) == 0)
      return true;
  return false;
}

const char *intrin_name(enum intrin intrin)
{
  return names[intrin];
}

LLVMValueRef intrin_declare(const struct intrin_table *table, LLVMModuleRef module, enum intrin intrin,
                            LLVMTypeRef *types, size_t type_count)
{
  return LLVMGetIntrinsicDeclaration(module, table->llvm_id[intrin], types, type_count);
}
