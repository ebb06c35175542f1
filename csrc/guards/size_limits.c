/* Limits the number of elements of aggregate values, because some of LLVM's passes process each element. sroa
   creates two instructions for each element that is loaded from or stored to an alloca, and instcombine takes
   quadratic time for these: seconds at 5,000 elements. deadargelim and constant folding take linear time and memory. */
#include "guards/size_limits.h"

#include <string.h>

#include "ir/edit.h"
#include "ir/operand.h"
#include "ir/size.h"
#include "run/diagnose.h"

enum { MAX_SPLIT = 4096, MAX_LISTED = 65536, MAX_COUNTED = MAX_LISTED };

static const struct {
  const char *name;
  unsigned limits;
} by_element[] = {
#define LLVM_BY_ELEMENT(name, limits) {name, limits},
#include "llvm_pass_properties.def"
};

/* Delimiters of names in a pass string. */
static const char between[] = ",()<>;";

unsigned size_limits_of_pass_string(const char *passes)
{
  unsigned limits = 0;
  for (const char *at = passes; *at; at += strspn(at, between)) {
    size_t length = strcspn(at, between);
    for (size_t i = 0; i < sizeof by_element / sizeof *by_element; i++)
      if (strlen(by_element[i].name) == length && !memcmp(by_element[i].name, at, length))
        limits |= by_element[i].limits;
    at += length;
  }
  return limits;
}

static bool is_aggregate(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
}

static uint64_t count_elements_up_to_limit(struct coro_map *counted, LLVMTypeRef type, unsigned depth);

static uint64_t count_elements_inside_type(struct coro_map *counted, LLVMTypeRef type, unsigned depth)
{
  if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
    uint64_t one = count_elements_up_to_limit(counted, LLVMGetElementType(type), depth),
             length = LLVMGetArrayLength2(type);
    return length > MAX_COUNTED / one ? MAX_COUNTED + 1 : length * one;
  }
  uint64_t sum = 0;
  unsigned fields = LLVMCountStructElementTypes(type);
  for (unsigned i = 0; i < fields && sum <= MAX_COUNTED; i++)
    sum += count_elements_up_to_limit(counted, LLVMStructGetTypeAtIndex(type, i), depth);
  return sum <= MAX_COUNTED ? sum : MAX_COUNTED + 1;
}

/* The number of elements, at least 1 (an empty struct counts as one) and at most MAX_COUNTED + 1. */
static uint64_t count_elements_up_to_limit(struct coro_map *counted, LLVMTypeRef type, unsigned depth)
{
  uint64_t known = 0;
  if (!is_aggregate(type))
    return 1;
  if (depth == IR_MAX_TYPE_DEPTH)
    return MAX_COUNTED + 1;
  if (!coro_map_get(counted, coro_map_key(type), &known)) {
    known = count_elements_inside_type(counted, type, depth + 1);
    known += !known;
    (void)coro_map_put(counted, coro_map_key(type), known); /* the arena records the failure */
  }
  return known;
}

static coro_status check_element_count_of_type(struct pass_run *run, struct coro_map *counted, LLVMTypeRef type,
                                               uint64_t most, LLVMValueRef function, LLVMValueRef instruction)
{
  if (!is_aggregate(type) || count_elements_up_to_limit(counted, type, 0) <= most)
    return CORO_OK;
  char *text = LLVMPrintTypeToString(type);
  const char *message = coro_arena_printf(
      run->arena, "LLVM's passes process each element of a value, and one of type %s has more than %u elements", text,
      (unsigned)most);
  LLVMDisposeMessage(text);
  return message ? pass_reject_instruction(
                       run, "size-limit", function, instruction, message,
                       "keep it in memory: copy it by llvm.memcpy, and load only the elements that are used")
                 : CORO_ENOMEM;
}

/* Whether the address is an alloca, or may become one by inlining or by globalopt. */
static bool may_be_or_become_alloca(LLVMValueRef address)
{
  LLVMValueRef base = edit_strip_geps(edit_strip_casts_and_zero_geps(address));
  if (LLVMIsAArgument(base))
    return LLVMGetFirstUse(LLVMGetParamParent(base));
  if (LLVMIsAGlobalVariable(base))
    return edit_has_local_linkage(base); /* globalopt converts it if only one function uses it */
  return !LLVMIsAConstant(base);
}

static coro_status check_element_counts_of_instruction(struct pass_run *run, struct coro_map *counted, uint64_t most,
                                                       LLVMValueRef function, LLVMValueRef inst)
{
  coro_status status = check_element_count_of_type(run, counted, LLVMTypeOf(inst), most, function, inst);
  int operands = LLVMGetNumOperands(inst);
  for (int k = 0; k < operands && !status; k++)
    status =
        check_element_count_of_type(run, counted, LLVMTypeOf(LLVMGetOperand(inst, (unsigned)k)), most, function, inst);
  return status;
}

/* The lowering spills values of a coroutine to its frame, which may be an alloca of its caller. */
static coro_status check_split_limit_of_instruction(struct pass_run *run, struct coro_map *counted,
                                                    LLVMValueRef function, LLVMValueRef inst)
{
  LLVMValueRef load = LLVMIsALoadInst(inst), store = LLVMIsAStoreInst(inst);
  if (edit_is_presplit_definition(function))
    return check_element_counts_of_instruction(run, counted, MAX_SPLIT, function, inst);
  if (!load && !store)
    return CORO_OK;
  LLVMTypeRef type = LLVMTypeOf(load ? load : LLVMGetOperand(store, STORE_VALUE));
  LLVMValueRef address = LLVMGetOperand(inst, load ? (unsigned)LOAD_ADDRESS : (unsigned)STORE_ADDRESS);
  return is_aggregate(type) && may_be_or_become_alloca(address)
             ? check_element_count_of_type(run, counted, type, MAX_SPLIT, function, inst)
             : CORO_OK;
}

static coro_status check_limits_of_instruction(struct pass_run *run, struct coro_map *counted, unsigned limits,
                                               LLVMValueRef function, LLVMValueRef inst)
{
  coro_status status = limits & LIMIT_SPLIT ? check_split_limit_of_instruction(run, counted, function, inst) : CORO_OK;
  if (!status && limits & LIMIT_FOLD && LLVMIsAInsertValueInst(inst))
    status = check_element_count_of_type(run, counted, LLVMTypeOf(inst), MAX_LISTED, function, inst);
  if (!status && limits & LIMIT_SHADOW)
    status = check_element_counts_of_instruction(run, counted, MAX_LISTED, function, inst);
  return status;
}

coro_status size_limits_check(struct pass_run *run, struct coro_map *counted, unsigned limits)
{
  coro_status status = CORO_OK;
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f && !status; f = LLVMGetNextFunction(f)) {
    if (limits & LIMIT_RESULTS) /* results and parameters of declarations are limited, too */
      status =
          check_element_count_of_type(run, counted, LLVMGetReturnType(LLVMGlobalGetValueType(f)), MAX_LISTED, f, NULL);
    if (!(limits & ~(unsigned)LIMIT_RESULTS))
      continue;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && !status; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !status; i = LLVMGetNextInstruction(i))
        status = check_limits_of_instruction(run, counted, limits, f, i);
  }
  return coro_arena_failed(run->arena) ? CORO_ENOMEM : status;
}
