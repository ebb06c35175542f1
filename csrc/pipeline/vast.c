/* Values of more elements than LLVM's passes come to an end with: sroa makes two instructions of each element that is
   stored, and instcombine then looks at all of them for each.
   Needs: diagnose. Leaves: the module as it was. */
#include "pipeline/vast.h"

#include "ir/size.h"
#include "pass/diagnose.h"

enum { MOST = 4096 };

static bool is_aggregate(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
}

static uint64_t count(struct coro_map *counted, LLVMTypeRef type, unsigned depth);

static uint64_t count_inside(struct coro_map *counted, LLVMTypeRef type, unsigned depth)
{
  if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
    uint64_t one = count(counted, LLVMGetElementType(type), depth), length = LLVMGetArrayLength2(type);
    return length > MOST / one ? MOST + 1 : length * one;
  }
  uint64_t sum = 0;
  unsigned fields = LLVMCountStructElementTypes(type);
  for (unsigned i = 0; i < fields && sum <= MOST; i++)
    sum += count(counted, LLVMStructGetTypeAtIndex(type, i), depth);
  return sum <= MOST ? sum : MOST + 1;
}

/* From 1, as an empty struct is an element too, to MOST + 1, which is as good as more. */
static uint64_t count(struct coro_map *counted, LLVMTypeRef type, unsigned depth)
{
  uint64_t known = 0;
  if (!is_aggregate(type))
    return 1;
  if (depth == IR_DEEPEST_TYPE)
    return MOST + 1;
  if (!coro_map_get(counted, coro_map_key(type), &known)) {
    known = count_inside(counted, type, depth + 1);
    known += !known;
    (void)coro_map_put(counted, coro_map_key(type), known); /* the arena remembers */
  }
  return known;
}

static coro_status check_type(struct pass_run *run, struct coro_map *counted, LLVMTypeRef type, LLVMValueRef function,
                              LLVMValueRef instruction)
{
  if (!is_aggregate(type) || count(counted, type, 0) <= MOST)
    return CORO_OK;
  char *text = LLVMPrintTypeToString(type);
  const char *message = coro_arena_printf(
      run->arena, "LLVM's passes take values apart, and one of %s has more than %d elements", text, MOST);
  LLVMDisposeMessage(text);
  return message ? pass_reject(run, "vast-value", function, instruction, message,
                               "keep it in memory: copy it by llvm.memcpy, and load what is used of it")
                 : CORO_ENOMEM;
}

static coro_status check_instruction(struct pass_run *run, struct coro_map *counted, LLVMValueRef function,
                                     LLVMValueRef inst)
{
  coro_status status = check_type(run, counted, LLVMTypeOf(inst), function, inst);
  int operands = LLVMGetNumOperands(inst);
  for (int k = 0; k < operands && !status; k++)
    status = check_type(run, counted, LLVMTypeOf(LLVMGetOperand(inst, (unsigned)k)), function, inst);
  return status;
}

/* What it takes and returns, used or not: passes look at it element by element as well. */
static coro_status check_signature(struct pass_run *run, struct coro_map *counted, LLVMValueRef function)
{
  coro_status status = check_type(run, counted, LLVMGetReturnType(LLVMGlobalGetValueType(function)), function, NULL);
  unsigned params = LLVMCountParams(function);
  for (unsigned p = 0; p < params && !status; p++)
    status = check_type(run, counted, LLVMTypeOf(LLVMGetParam(function, p)), function, NULL);
  return status;
}

coro_status vast_check(struct pass_run *run, struct coro_map *counted)
{
  coro_status status = CORO_OK;
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f && !status; f = LLVMGetNextFunction(f)) {
    status = check_signature(run, counted, f);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && !status; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !status; i = LLVMGetNextInstruction(i))
        status = check_instruction(run, counted, f, i);
  }
  return coro_arena_failed(run->arena) ? CORO_ENOMEM : status;
}
