/* Redirects edges through a dispatch block. */
#include "transform/loop_entry_redirect.h"

#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"

static LLVMContextRef context_of_redirect(const struct redirect *r)
{
  return LLVMGetModuleContext(LLVMGetGlobalParent(r->function));
}

/* New instructions have no debug location. */
static void position_builder_at_end(LLVMBuilderRef builder, LLVMBasicBlockRef block)
{
  LLVMPositionBuilderAtEnd(builder, block);
  LLVMSetCurrentDebugLocation2(builder, NULL);
}

static LLVMBasicBlockRef append_block_to_function(const struct redirect *r, const char *name)
{
  return LLVMAppendBasicBlockInContext(context_of_redirect(r), r->function, name);
}

void redirect_create_dispatch_block(struct redirect *r, struct coro_arena *arena, LLVMBuilderRef builder,
                                    LLVMValueRef function)
{
  *r = (struct redirect){.arena = arena, .builder = builder, .function = function};
  r->dispatch = append_block_to_function(r, "loop.dispatch");
}

static bool is_redirected_predecessor(const struct coro_map *from, LLVMBasicBlockRef block)
{
  return coro_map_has(from, coro_map_key(block));
}

static void move_redirected_phi_entries(LLVMValueRef old, const struct coro_map *from, LLVMValueRef moved,
                                        LLVMValueRef stays)
{
  for (unsigned i = 0; i < LLVMCountIncoming(old); i++) {
    LLVMValueRef value = LLVMGetIncomingValue(old, i);
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(old, i);
    LLVMAddIncoming(is_redirected_predecessor(from, block) ? moved : stays, &value, &block, 1);
  }
}

static bool split_phi_of_target(struct redirect *r, LLVMValueRef old, const struct coro_map *from,
                                LLVMBasicBlockRef enter)
{
  LLVMTypeRef type = LLVMTypeOf(old);
  position_builder_at_end(r->builder, enter);
  LLVMValueRef moved = LLVMBuildPhi(r->builder, type, "");
  position_builder_at_end(r->builder, r->dispatch);
  LLVMValueRef phi = LLVMBuildPhi(r->builder, type, "");
  LLVMPositionBuilderBefore(r->builder, old);
  LLVMValueRef stays = LLVMBuildPhi(r->builder, type, "");
  LLVMInstructionSetDebugLoc(stays, LLVMInstructionGetDebugLoc(old));
  move_redirected_phi_entries(old, from, moved, stays);
  LLVMAddIncoming(stays, &phi, &r->dispatch, 1);
  edit_move_value_name(r->arena, stays, old);
  struct redirected_phi added = {phi, moved, r->targets.count};
  edit_replace_and_erase(old, stays);
  return coro_vec_push(r->arena, &r->phis, added);
}

static void redirect_edges_of_block(LLVMBasicBlockRef from, LLVMBasicBlockRef target, LLVMBasicBlockRef enter)
{
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(from);
  for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++)
    if (LLVMGetSuccessor(terminator, i) == target)
      LLVMSetSuccessor(terminator, i, enter);
}

bool redirect_edges_through_dispatch(struct redirect *r, LLVMBasicBlockRef target, const LLVMBasicBlockRef *from,
                                     uint32_t count)
{
  LLVMBasicBlockRef enter = append_block_to_function(r, "loop.enter");
  struct coro_map blocks;
  coro_map_init(&blocks, r->arena);
  for (uint32_t i = 0; i < count; i++) {
    redirect_edges_of_block(from[i], target, enter);
    if (!coro_map_put(&blocks, coro_map_key(from[i]), 1))
      return false;
  }
  for (LLVMValueRef next, at = LLVMGetFirstInstruction(target); LLVMIsAPHINode(at); at = next) {
    next = LLVMGetNextInstruction(at);
    if (!split_phi_of_target(r, at, &blocks, enter))
      return false;
  }
  position_builder_at_end(r->builder, enter);
  LLVMBuildBr(r->builder, r->dispatch);
  return coro_vec_push(r->arena, &r->targets, ((struct redirected){target, enter}));
}

bool redirect_fill_dispatch_block(struct redirect *r)
{
  LLVMTypeRef number = LLVMInt32TypeInContext(context_of_redirect(r));
  for (uint32_t i = 0; i < r->phis.count; i++)
    for (uint32_t t = 0; t < r->targets.count; t++) {
      const struct redirected_phi *p = &r->phis.items[i];
      LLVMValueRef value = t == p->target ? p->value : LLVMGetPoison(LLVMTypeOf(p->phi));
      LLVMAddIncoming(p->phi, &value, &r->targets.items[t].enter, 1);
    }
  position_builder_at_end(r->builder, r->dispatch);
  LLVMValueRef chosen = LLVMBuildPhi(r->builder, number, "loop.target");
  LLVMValueRef choice = LLVMBuildSwitch(r->builder, chosen, r->targets.items[0].target, r->targets.count - 1);
  for (uint32_t t = 0; t < r->targets.count; t++) {
    LLVMValueRef index = LLVMConstInt(number, t, false);
    LLVMAddIncoming(chosen, &index, &r->targets.items[t].enter, 1);
    if (t)
      LLVMAddCase(choice, index, r->targets.items[t].target);
  }
  return !coro_arena_failed(r->arena);
}
