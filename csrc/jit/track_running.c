/* Instruments coroutines so that their frames tell whether they run. The suspend index in a frame does not distinguish
   a suspended coroutine from a running one; the instrumented code sets the index's highest bit while it runs.
   Requires: a module directly after lowering; every save stores the index. Guarantees: clones mask the bit
   when they load the index. */
#include <stdlib.h>
#include <string.h>

#include "ir/operand.h"
#include "jit/jit_internal.h"

enum tracked_clone { RESUME, DESTROY, CLEANUP, CLONES };

struct clones { /* clones of one coroutine and their index loads; NULL if absent */
  LLVMValueRef tracked_clone[CLONES], load[CLONES];
};

static bool is_address_of_field(LLVMValueRef pointer, LLVMValueRef frame, uint64_t offset)
{
  if (!LLVMIsAGetElementPtrInst(pointer) || LLVMGetNumOperands(pointer) != 2 ||
      LLVMGetOperand(pointer, ADDRESS_BASE) != frame)
    return false;
  LLVMTypeRef unit = LLVMGetGEPSourceElementType(pointer);
  LLVMValueRef distance = LLVMGetOperand(pointer, FIRST_INDEX);
  return LLVMGetTypeKind(unit) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(unit) == 8 &&
         LLVMIsAConstantInt(distance) && LLVMConstIntGetZExtValue(distance) == offset;
}

/* Finds the load of the index in a clone, or NULL. False: several loads, or an unsupported one. */
static bool find_index_load_unless_several(LLVMValueRef tracked_clone, const struct jit_index *index,
                                           LLVMValueRef *found)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(tracked_clone); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      if (!LLVMIsALoadInst(i) ||
          !is_address_of_field(LLVMGetOperand(i, LOAD_ADDRESS), LLVMGetParam(tracked_clone, 0), index->offset))
        continue;
      if (*found || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind ||
          LLVMGetIntTypeWidth(LLVMTypeOf(i)) > 8 * index->size)
        return false;
      *found = i;
    }
  return true;
}

/* Finds the clones and their loads of the suspend index. False: a clone has an unsuitable form, or there is no resume
   clone. */
static bool find_clones_if_trackable(struct clones *clones, LLVMModuleRef module, const struct jit_index *index)
{
  memset(clones, 0, sizeof *clones);
  const char *name = index->names;
  for (enum tracked_clone i = RESUME; i < CLONES; i++, name += strlen(name) + 1) {
    LLVMValueRef tracked_clone = LLVMGetNamedFunction(module, name);
    if (!tracked_clone || LLVMIsDeclaration(tracked_clone))
      continue;
    clones->tracked_clone[i] = tracked_clone;
    if (LLVMCountParams(tracked_clone) != 1 || !find_index_load_unless_several(tracked_clone, index, &clones->load[i]))
      return false;
  }
  return clones->load[RESUME] != NULL;
}

/* True for values that a ramp stores as the header's destroy function. */
static bool is_stored_as_destroy_function(LLVMValueRef value, const struct clones *clones)
{
  if (LLVMIsASelectInst(value))
    return is_stored_as_destroy_function(LLVMGetOperand(value, SELECT_TRUE), clones) &&
           is_stored_as_destroy_function(LLVMGetOperand(value, SELECT_FALSE), clones);
  return value && (value == clones->tracked_clone[DESTROY] || value == clones->tracked_clone[CLEANUP]);
}

/* True if the use is the ramp's store of the resume function, followed by the store of the destroy function into the
   same header. The program may store the function elsewhere too. */
static bool is_resume_store_of_header(LLVMUseRef use, const struct clones *clones)
{
  LLVMValueRef store = LLVMGetUser(use), next;
  if (!LLVMIsAStoreInst(store) || LLVMGetOperand(store, STORE_VALUE) != clones->tracked_clone[RESUME])
    return false;
  for (next = LLVMGetNextInstruction(store); next && !LLVMIsAStoreInst(next);)
    next = LLVMGetNextInstruction(next);
  LLVMValueRef frame = LLVMGetOperand(store, STORE_ADDRESS);
  return next && !LLVMIsAConstant(frame) && is_stored_as_destroy_function(LLVMGetOperand(next, STORE_VALUE), clones) &&
         is_address_of_field(LLVMGetOperand(next, STORE_ADDRESS), frame, sizeof(void *));
}

static bool is_resume_clone_stored_in_header(const struct clones *clones)
{
  for (LLVMUseRef use = LLVMGetFirstUse(clones->tracked_clone[RESUME]); use; use = LLVMGetNextUse(use))
    if (is_resume_store_of_header(use, clones))
      return true;
  return false;
}

/* NULL: out of memory. */
static struct jit_index *allocate_index_record(struct jit *jit, const char *coroutine, uint64_t offset, uint32_t size)
{
  static const char *const suffixes[CLONES] = {".resume", ".destroy", ".cleanup"};
  size_t length = strlen(coroutine);
  struct jit_index *index = malloc(sizeof *index + CLONES * (length + sizeof ".cleanup"));
  if (!index)
    return NULL;
  *index = (struct jit_index){jit->indices, offset, size};
  char *name = index->names;
  for (enum tracked_clone i = RESUME; i < CLONES; i++, name += strlen(name) + 1) {
    memcpy(name, coroutine, length);
    strcpy(name + length, suffixes[i]);
  }
  return index;
}

coro_status jit_track_running(struct jit *jit, LLVMModuleRef module, const char *coroutine, uint64_t index_offset,
                              uint32_t index_size, bool *is_trackable)
{
  struct jit_index *index = allocate_index_record(jit, coroutine, index_offset, index_size);
  struct clones clones;
  *is_trackable = false;
  if (!index)
    return CORO_ENOMEM;
  *is_trackable = index_size && index_size <= 8 && find_clones_if_trackable(&clones, module, index) &&
                  is_resume_clone_stored_in_header(&clones);
  if (*is_trackable)
    jit->indices = index;
  else
    free(index);
  return CORO_OK;
}

static LLVMTypeRef index_type(LLVMValueRef place, const struct jit_index *index)
{
  return LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(place)), 8 * index->size);
}

static LLVMValueRef running_bit_of_index_type(LLVMTypeRef type)
{
  return LLVMConstInt(type, UINT64_C(1) << (LLVMGetIntTypeWidth(type) - 1), false);
}

static void build_unaligned_store(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef place)
{
  LLVMSetAlignment(LLVMBuildStore(builder, value, place), 1);
}

/* Replaces the load: masks the running bit, and sets it in the frame if `sets_running_bit`. */
static void mask_index_load(LLVMBuilderRef builder, LLVMValueRef load, const struct jit_index *index,
                            bool sets_running_bit)
{
  LLVMValueRef place = LLVMGetOperand(load, LOAD_ADDRESS);
  LLVMTypeRef type = index_type(place, index);
  LLVMPositionBuilderBefore(builder, load);
  LLVMValueRef loaded = LLVMBuildLoad2(builder, type, place, "");
  LLVMSetAlignment(loaded, 1);
  if (sets_running_bit)
    build_unaligned_store(builder, LLVMBuildOr(builder, loaded, running_bit_of_index_type(type), ""), place);
  LLVMValueRef number = LLVMBuildAnd(builder, loaded, LLVMConstNot(running_bit_of_index_type(type)), "");
  LLVMReplaceAllUsesWith(load, LLVMBuildTrunc(builder, number, LLVMTypeOf(load), ""));
  LLVMInstructionEraseFromParent(load);
}

static void set_running_bit_in_ramp(LLVMBuilderRef builder, LLVMValueRef header_store, const struct jit_index *index)
{
  LLVMValueRef frame = LLVMGetOperand(header_store, STORE_ADDRESS);
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(frame));
  LLVMValueRef distance = LLVMConstInt(LLVMInt64TypeInContext(context), index->offset, false);
  LLVMPositionBuilderBefore(builder, header_store);
  LLVMValueRef place = LLVMBuildGEP2(builder, LLVMInt8TypeInContext(context), frame, &distance, 1, "");
  build_unaligned_store(builder, running_bit_of_index_type(index_type(place, index)), place);
}

void jit_instrument_running(struct jit *jit, LLVMModuleRef own)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(own));
  for (const struct jit_index *index = jit->indices; index; index = index->next) {
    struct clones clones;
    if (!find_clones_if_trackable(&clones, own, index)) /* another module than the one examined */
      continue;
    for (enum tracked_clone i = RESUME; i < CLONES; i++)
      if (clones.load[i])
        mask_index_load(builder, clones.load[i], index, i == RESUME);
    for (LLVMUseRef use = LLVMGetFirstUse(clones.tracked_clone[RESUME]); use; use = LLVMGetNextUse(use))
      if (is_resume_store_of_header(use, &clones))
        set_running_bit_in_ramp(builder, LLVMGetUser(use), index);
  }
  LLVMDisposeBuilder(builder);
}

void jit_free_indices(struct jit *jit)
{
  for (struct jit_index *index = jit->indices, *next; index; index = next) {
    next = index->next;
    free(index);
  }
  jit->indices = NULL;
}
