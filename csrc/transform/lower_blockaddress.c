/* Replaces blockaddresses by addresses within a global that belongs to the function, one byte per block. */
#include "transform/lower_blockaddress.h"

#include "base/vec.h"
#include "ir/edit.h"
#include "llvm-c/Comdat.h"

typedef CORO_VEC(LLVMValueRef) constants;

struct labels {
  struct coro_map number; /* block with a taken address -> its offset in the global */
  constants addresses;    /* the blockaddresses, in order of offsets */
  LLVMValueRef global;    /* NULL: there are none */
  uint64_t next;          /* the first unused offset */
};

static LLVMTypeRef block_number_type(LLVMValueRef function)
{
  return LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
}

static LLVMValueRef existing_blockaddress_or_null(LLVMBasicBlockRef block)
{
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use))
    if (LLVMIsABlockAddress(LLVMGetUser(use)))
      return LLVMGetUser(use);
  return NULL;
}

static bool number_address_taken_blocks(struct coro_arena *arena, struct labels *labels, LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef address = existing_blockaddress_or_null(b);
    if (address && (!coro_vec_push(arena, &labels->addresses, address) ||
                    !coro_map_put(&labels->number, coro_map_key(b), labels->next++)))
      return false;
  }
  return true;
}

/* Gives the global the linkage of a mergeable function: the linker may select another module's copy of the function,
   which is then used with the tables of this module. */
static void set_private_or_mergeable_linkage(LLVMValueRef global, LLVMValueRef function)
{
  LLVMLinkage linkage = LLVMGetLinkage(function);
  bool merged = linkage == LLVMLinkOnceAnyLinkage || linkage == LLVMLinkOnceODRLinkage ||
                linkage == LLVMWeakAnyLinkage || linkage == LLVMWeakODRLinkage;
  LLVMSetLinkage(global, merged ? linkage : LLVMPrivateLinkage);
  if (!merged)
    return;
  LLVMSetVisibility(global, LLVMGetVisibility(function));
  if (LLVMGetComdat(function))
    LLVMSetComdat(global, LLVMGetComdat(function));
}

/* Creates the global, and replaces each blockaddress by an address in it. The global's content is unused; its
   addresses
   are distinct from those of other objects and of other functions' blocks. */
static LLVMValueRef replace_blockaddresses_by_global(struct coro_arena *arena, const struct labels *labels,
                                                     LLVMValueRef function)
{
  LLVMTypeRef i8 = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
  LLVMTypeRef type = LLVMArrayType2(i8, labels->addresses.count);
  unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(labels->addresses.items[0]));
  const char *name = coro_arena_concatenate(arena, edit_value_name(function), ".labels");
  if (!name)
    return NULL;
  LLVMValueRef global = LLVMAddGlobalInAddressSpace(LLVMGetGlobalParent(function), type, name, space);
  LLVMSetInitializer(global, LLVMConstNull(type));
  LLVMSetGlobalConstant(global, true);
  set_private_or_mergeable_linkage(global, function);
  for (uint32_t i = 0; i < labels->addresses.count; i++) {
    LLVMValueRef offset = LLVMConstInt(block_number_type(function), i, false);
    LLVMReplaceAllUsesWith(labels->addresses.items[i], LLVMConstInBoundsGEP2(i8, global, &offset, 1));
  }
  return global;
}

/* Builds one case per edge, so the phis of its targets are unchanged. An edge to a block whose address is not taken,
   or a duplicate edge, gets a value that never occurs. */
static bool replace_indirectbr_by_switch(struct coro_arena *arena, struct labels *labels, LLVMValueRef branch,
                                         LLVMBasicBlockRef never)
{
  LLVMTypeRef type = block_number_type(LLVMGetBasicBlockParent(LLVMGetInstructionParent(branch)));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(type));
  unsigned count = LLVMGetNumSuccessors(branch);
  struct coro_map seen;
  bool ok = true;
  coro_map_init(&seen, arena);
  LLVMPositionBuilderBefore(builder, branch);
  LLVMValueRef chosen = LLVMBuildPtrToInt(builder, LLVMGetOperand(branch, 0), type, "");
  if (labels->global)
    chosen = LLVMBuildSub(builder, chosen, LLVMConstPtrToInt(labels->global, type), "");
  LLVMValueRef dispatch = LLVMBuildSwitch(builder, chosen, never, count);
  for (unsigned i = 0; i < count && ok; i++) {
    LLVMBasicBlockRef target = LLVMGetSuccessor(branch, i);
    uint64_t number = 0, before = 0;
    if (!coro_map_get(&labels->number, coro_map_key(target), &number) ||
        coro_map_get(&seen, coro_map_key(target), &before))
      number = labels->next++;
    ok = coro_map_put(&seen, coro_map_key(target), 1);
    LLVMAddCase(dispatch, LLVMConstInt(type, number, false), target);
  }
  LLVMInstructionEraseFromParent(branch);
  LLVMDisposeBuilder(builder);
  return ok;
}

static LLVMBasicBlockRef append_unreachable_block(LLVMValueRef function)
{
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(context, function, "unreachable");
  LLVMPositionBuilderAtEnd(builder, block);
  LLVMBuildUnreachable(builder);
  LLVMDisposeBuilder(builder);
  return block;
}

bool lower_blockaddress_is_needed(LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    if (existing_blockaddress_or_null(b) || LLVMIsAIndirectBrInst(LLVMGetBasicBlockTerminator(b)))
      return true;
  return false;
}

bool lower_blockaddress_in_function(struct coro_arena *arena, LLVMValueRef function, bool *changed)
{
  struct labels labels = {.global = NULL};
  LLVMBasicBlockRef never = NULL;
  coro_map_init(&labels.number, arena);
  if (!number_address_taken_blocks(arena, &labels, function))
    return false;
  if (labels.addresses.count && !(labels.global = replace_blockaddresses_by_global(arena, &labels, function)))
    return false;
  *changed |= labels.global != NULL;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(b);
    if (!LLVMIsAIndirectBrInst(terminator))
      continue;
    never = never ? never : append_unreachable_block(function);
    *changed = true;
    if (!replace_indirectbr_by_switch(arena, &labels, terminator, never))
      return false;
  }
  return true;
}
