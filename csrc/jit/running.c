/* Coroutines that tell whether they run: their frame holds the index of the suspend that they are at, or were resumed
   at, and no caller can tell which. Here the code that reads the index puts a mark in its place, until a save.
   Needs: a module as it was lowered, in which every save stores the index. Leaves: the mark is all ones. */
#include <stdlib.h>
#include <string.h>

#include "ir/operand.h"
#include "jit/inside.h"

static bool is_field(LLVMValueRef pointer, LLVMValueRef frame, uint64_t offset)
{
  if (!LLVMIsAGetElementPtrInst(pointer) || LLVMGetNumOperands(pointer) != 2 ||
      LLVMGetOperand(pointer, ADDRESS_BASE) != frame)
    return false;
  LLVMTypeRef unit = LLVMGetGEPSourceElementType(pointer);
  LLVMValueRef distance = LLVMGetOperand(pointer, FIRST_INDEX);
  return LLVMGetTypeKind(unit) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(unit) == 8 &&
         LLVMIsAConstantInt(distance) && LLVMConstIntGetZExtValue(distance) == offset;
}

/* The one load of the index in a resume part; NULL where there is none, or more. */
static LLVMValueRef find_load(LLVMValueRef part, const struct jit_index *index)
{
  LLVMValueRef found = NULL;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(part); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      if (!LLVMIsALoadInst(i) || !is_field(LLVMGetOperand(i, LOAD_ADDRESS), LLVMGetParam(part, 0), index->offset))
        continue;
      if (found || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind ||
          LLVMGetIntTypeWidth(LLVMTypeOf(i)) > 8 * index->size)
        return NULL;
      found = i;
    }
  return found;
}

/* Whether the use is the store with which a ramp makes a frame the coroutine's. */
static bool makes_a_frame(LLVMUseRef use, LLVMValueRef part)
{
  LLVMValueRef user = LLVMGetUser(use);
  return LLVMIsAStoreInst(user) && LLVMGetOperand(user, STORE_VALUE) == part;
}

static bool has_ramp(LLVMValueRef part)
{
  for (LLVMUseRef use = LLVMGetFirstUse(part); use; use = LLVMGetNextUse(use))
    if (makes_a_frame(use, part))
      return true;
  return false;
}

static LLVMValueRef resume_part(LLVMModuleRef module, const struct jit_index *index)
{
  LLVMValueRef part = LLVMGetNamedFunction(module, index->part);
  return part && !LLVMIsDeclaration(part) && LLVMCountParams(part) == 1 ? part : NULL;
}

coro_status jit_ask_running(struct jit *jit, LLVMModuleRef module, const char *coroutine, uint64_t offset,
                            uint32_t size, bool *can)
{
  static const char suffix[] = ".resume";
  struct jit_index *index = malloc(sizeof *index + strlen(coroutine) + sizeof suffix);
  *can = false;
  if (!index)
    return CORO_ENOMEM;
  *index = (struct jit_index){jit->indices, offset, size};
  memcpy(index->part, coroutine, strlen(coroutine));
  memcpy(index->part + strlen(coroutine), suffix, sizeof suffix);
  LLVMValueRef part = size && size <= 8 ? resume_part(module, index) : NULL;
  *can = part && has_ramp(part) && find_load(part, index);
  if (*can)
    jit->indices = index;
  else
    free(index);
  return CORO_OK;
}

static void mark(LLVMBuilderRef builder, LLVMValueRef place, const struct jit_index *index)
{
  LLVMTypeRef type = LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(place)), 8 * index->size);
  LLVMSetAlignment(LLVMBuildStore(builder, LLVMConstAllOnes(type), place), 1);
}

static void mark_in_ramp(LLVMBuilderRef builder, LLVMValueRef store, const struct jit_index *index)
{
  LLVMValueRef frame = LLVMGetOperand(store, STORE_ADDRESS);
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(frame));
  LLVMValueRef distance = LLVMConstInt(LLVMInt64TypeInContext(context), index->offset, false);
  LLVMPositionBuilderBefore(builder, store);
  mark(builder, LLVMBuildGEP2(builder, LLVMInt8TypeInContext(context), frame, &distance, 1, ""), index);
}

void jit_mark_running(struct jit *jit, LLVMModuleRef own)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(own));
  for (const struct jit_index *index = jit->indices; index; index = index->next) {
    LLVMValueRef part = resume_part(own, index), load = part ? find_load(part, index) : NULL;
    if (!load) /* another module than the one that was asked about */
      continue;
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(load));
    mark(builder, LLVMGetOperand(load, LOAD_ADDRESS), index);
    for (LLVMUseRef use = LLVMGetFirstUse(part); use; use = LLVMGetNextUse(use))
      if (makes_a_frame(use, part))
        mark_in_ramp(builder, LLVMGetUser(use), index);
  }
  LLVMDisposeBuilder(builder);
}

void jit_forget_indices(struct jit *jit)
{
  for (struct jit_index *index = jit->indices, *next; index; index = next) {
    next = index->next;
    free(index);
  }
  jit->indices = NULL;
}
