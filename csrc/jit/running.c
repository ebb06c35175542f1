/* Coroutines that tell whether they run: their frame holds the index of the suspend that they are at, or were resumed
   at, and no caller can tell which. Here the code that reads the index sets its highest bit, until a save.
   Needs: a module as it was lowered, in which every save stores the index. Leaves: parts that read it without that. */
#include <stdlib.h>
#include <string.h>

#include "ir/operand.h"
#include "jit/inside.h"

enum part { RESUME, DESTROY, CLEANUP, PARTS };

struct parts { /* of one coroutine, and where each reads the index; NULL for what is not there */
  LLVMValueRef part[PARTS], load[PARTS];
};

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

/* The load of the index in a part, NULL where there is none. False where there are more, or one of another kind. */
static bool find_load(LLVMValueRef part, const struct jit_index *index, LLVMValueRef *found)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(part); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      if (!LLVMIsALoadInst(i) || !is_field(LLVMGetOperand(i, LOAD_ADDRESS), LLVMGetParam(part, 0), index->offset))
        continue;
      if (*found || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind ||
          LLVMGetIntTypeWidth(LLVMTypeOf(i)) > 8 * index->size)
        return false;
      *found = i;
    }
  return true;
}

/* False where they are not such that they can tell. */
static bool find_parts(struct parts *parts, LLVMModuleRef module, const struct jit_index *index)
{
  memset(parts, 0, sizeof *parts);
  const char *name = index->names;
  for (enum part i = RESUME; i < PARTS; i++, name += strlen(name) + 1) {
    LLVMValueRef part = LLVMGetNamedFunction(module, name);
    if (!part || LLVMIsDeclaration(part))
      continue;
    parts->part[i] = part;
    if (LLVMCountParams(part) != 1 || !find_load(part, index, &parts->load[i]))
      return false;
  }
  return parts->load[RESUME] != NULL;
}

/* Whether it is what a frame's header holds behind the resume part. */
static bool destroys(LLVMValueRef value, const struct parts *parts)
{
  if (LLVMIsASelectInst(value))
    return destroys(LLVMGetOperand(value, SELECT_TRUE), parts) && destroys(LLVMGetOperand(value, SELECT_FALSE), parts);
  return value && (value == parts->part[DESTROY] || value == parts->part[CLEANUP]);
}

/* Whether the use is the store with which a ramp makes a frame the coroutine's: the next one completes the header. The
   program may store the function elsewhere, where nothing behind it is ours. */
static bool makes_a_frame(LLVMUseRef use, const struct parts *parts)
{
  LLVMValueRef store = LLVMGetUser(use), next;
  if (!LLVMIsAStoreInst(store) || LLVMGetOperand(store, STORE_VALUE) != parts->part[RESUME])
    return false;
  for (next = LLVMGetNextInstruction(store); next && !LLVMIsAStoreInst(next);)
    next = LLVMGetNextInstruction(next);
  LLVMValueRef frame = LLVMGetOperand(store, STORE_ADDRESS);
  return next && !LLVMIsAConstant(frame) && destroys(LLVMGetOperand(next, STORE_VALUE), parts) &&
         is_field(LLVMGetOperand(next, STORE_ADDRESS), frame, sizeof(void *));
}

static bool has_ramp(const struct parts *parts)
{
  for (LLVMUseRef use = LLVMGetFirstUse(parts->part[RESUME]); use; use = LLVMGetNextUse(use))
    if (makes_a_frame(use, parts))
      return true;
  return false;
}

/* NULL where memory ran out. */
static struct jit_index *make_index(struct jit *jit, const char *coroutine, uint64_t offset, uint32_t size)
{
  static const char *const suffixes[PARTS] = {".resume", ".destroy", ".cleanup"};
  size_t length = strlen(coroutine);
  struct jit_index *index = malloc(sizeof *index + PARTS * (length + sizeof ".cleanup"));
  if (!index)
    return NULL;
  *index = (struct jit_index){jit->indices, offset, size};
  char *name = index->names;
  for (enum part i = RESUME; i < PARTS; i++, name += strlen(name) + 1) {
    memcpy(name, coroutine, length);
    strcpy(name + length, suffixes[i]);
  }
  return index;
}

coro_status jit_ask_running(struct jit *jit, LLVMModuleRef module, const char *coroutine, uint64_t offset,
                            uint32_t size, bool *can)
{
  struct jit_index *index = make_index(jit, coroutine, offset, size);
  struct parts parts;
  *can = false;
  if (!index)
    return CORO_ENOMEM;
  *can = size && size <= 8 && find_parts(&parts, module, index) && has_ramp(&parts);
  if (*can)
    jit->indices = index;
  else
    free(index);
  return CORO_OK;
}

static LLVMTypeRef index_type(LLVMValueRef place, const struct jit_index *index)
{
  return LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(place)), 8 * index->size);
}

static LLVMValueRef mark_of(LLVMTypeRef type)
{
  return LLVMConstInt(type, UINT64_C(1) << (LLVMGetIntTypeWidth(type) - 1), false);
}

static void store(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef place)
{
  LLVMSetAlignment(LLVMBuildStore(builder, value, place), 1);
}

/* The part reads the index without the mark, and `sets` it. */
static void read_unmarked(LLVMBuilderRef builder, LLVMValueRef load, const struct jit_index *index, bool sets)
{
  LLVMValueRef place = LLVMGetOperand(load, LOAD_ADDRESS);
  LLVMTypeRef type = index_type(place, index);
  LLVMPositionBuilderBefore(builder, load);
  LLVMValueRef whole = LLVMBuildLoad2(builder, type, place, "");
  LLVMSetAlignment(whole, 1);
  if (sets)
    store(builder, LLVMBuildOr(builder, whole, mark_of(type), ""), place);
  LLVMValueRef number = LLVMBuildAnd(builder, whole, LLVMConstNot(mark_of(type)), "");
  LLVMReplaceAllUsesWith(load, LLVMBuildTrunc(builder, number, LLVMTypeOf(load), ""));
  LLVMInstructionEraseFromParent(load);
}

static void mark_in_ramp(LLVMBuilderRef builder, LLVMValueRef makes, const struct jit_index *index)
{
  LLVMValueRef frame = LLVMGetOperand(makes, STORE_ADDRESS);
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(frame));
  LLVMValueRef distance = LLVMConstInt(LLVMInt64TypeInContext(context), index->offset, false);
  LLVMPositionBuilderBefore(builder, makes);
  LLVMValueRef place = LLVMBuildGEP2(builder, LLVMInt8TypeInContext(context), frame, &distance, 1, "");
  store(builder, mark_of(index_type(place, index)), place);
}

void jit_mark_running(struct jit *jit, LLVMModuleRef own)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(own));
  for (const struct jit_index *index = jit->indices; index; index = index->next) {
    struct parts parts;
    if (!find_parts(&parts, own, index)) /* another module than the one that was asked about */
      continue;
    for (enum part i = RESUME; i < PARTS; i++)
      if (parts.load[i])
        read_unmarked(builder, parts.load[i], index, i == RESUME);
    for (LLVMUseRef use = LLVMGetFirstUse(parts.part[RESUME]); use; use = LLVMGetNextUse(use))
      if (makes_a_frame(use, &parts))
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
