/* Compares all uses of the alloca with those that the walk has recorded; see early_heap_list.h. */
#include "check/early_heap_list.h"

#include "check/begin.h"
#include "check/heap_state.h"
#include "check/verdict.h"
#include "ir/operand.h"
#include "transform/tailcall.h"

bool early_heap_list_is_address(const struct check *c, struct check_clone *k, LLVMValueRef address)
{
  uint32_t inst = ir_inst(&k->fn, address);
  if (inst == IR_NONE || k->from->clone_kind != CLONE_RAMP || c->low->shape.abi != CORO_ABI_SWITCH ||
      k->fn.opcode[inst] != LLVMAlloca || k->entries[inst].kind != WITNESS_NONE ||
      (k->early_list && k->early_list != address))
    return false;
  k->early_list = address;
  return true;
}

static bool is_use_recorded(const struct check_clone *k, uint32_t user)
{
  return coro_map_has(&k->list_accesses, (uint64_t)user + 1);
}

/* The store of null in the entry block; IR_NONE: there is none. */
static uint32_t store_of_null_in_entry_or_none(const struct check_clone *k)
{
  LLVMValueRef null = LLVMConstPointerNull(LLVMPointerTypeInContext(LLVMGetValueContext(k->early_list), 0));
  for (LLVMUseRef use = LLVMGetFirstUse(k->early_list); use; use = LLVMGetNextUse(use)) {
    uint32_t user = ir_inst(&k->fn, LLVMGetUser(use));
    if (user != IR_NONE && !is_use_recorded(k, user) && heap_state_is_plain_store_of(k->fn.insts[user], null) &&
        LLVMGetInstructionParent(k->fn.insts[user]) == k->from->entry)
      return user;
  }
  return IR_NONE;
}

/* Whether the alloca is only accessed by code of the list, and holds null before. */
static bool is_only_list(const struct check_clone *k)
{
  uint32_t start = store_of_null_in_entry_or_none(k);
  bool only = start != IR_NONE;
  for (LLVMUseRef use = LLVMGetFirstUse(k->early_list); use && only; use = LLVMGetNextUse(use)) {
    uint32_t user = ir_inst(&k->fn, LLVMGetUser(use));
    bool before = user == IR_NONE || (k->fn.inst_block[user] == k->fn.inst_block[start] && user < start);
    only = user == start || (!before && is_use_recorded(k, user));
  }
  return only;
}

/* Whether the ramp takes over the blocks where it initializes the list in the frame. */
static bool are_blocks_moved_to_frame(const struct check_clone *k)
{
  LLVMValueRef value = k->list_start == IR_NONE ? NULL : LLVMGetOperand(k->fn.insts[k->list_start], STORE_VALUE);
  return value && LLVMIsALoadInst(value) && LLVMGetOperand(value, LOAD_ADDRESS) == k->early_list;
}

/* The instruction before which the blocks must be freed if the block leaves the presplit function: its terminator, or a
   `musttail` call directly before it. IR_NONE: it does not leave. */
static uint32_t exit_of_block_or_none(const struct check_clone *k, uint32_t block)
{
  uint32_t last = k->fn.block_start[block + 1] - 1;
  unsigned char opcode = k->fn.opcode[last];
  if ((opcode != LLVMRet && opcode != LLVMResume && opcode != LLVMCleanupRet) || ir_successor_count(&k->fn, block) ||
      k->entries[last].kind != WITNESS_COPY)
    return IR_NONE;
  return last > k->fn.block_start[block] && tailcall_is_musttail(k->fn.insts[last - 1]) ? last - 1 : last;
}

bool early_heap_list_is_freed_at_exit(const struct check_clone *k, uint32_t call)
{
  return call + 1 == exit_of_block_or_none(k, k->fn.inst_block[call]);
}

static bool is_freed_at_exit(const struct check_clone *k, uint32_t exit)
{
  bool freed = false;
  for (uint32_t i = 0; i < k->list_calls.count && !freed; i++)
    freed = k->list_calls.items[i].early && k->list_calls.items[i].inst + 1 == exit;
  return freed;
}

/* Before llvm.coro.begin, or where paths with and without it have joined, each exit frees the blocks. */
static bool check_exits(struct check *c, const struct check_clone *k)
{
  for (uint32_t block = 0; block < k->fn.block_count; block++) {
    uint32_t exit = exit_of_block_or_none(k, block);
    if (exit != IR_NONE && !begin_is_executed_on_all_paths(c, k, block, 2 * check_position(k, exit)) &&
        !is_freed_at_exit(k, exit))
      return check_refute(c, k, k->fn.insts[exit], "blocks from before llvm.coro.begin must be freed before it");
  }
  return true;
}

/* Blocks are inserted before llvm.coro.begin only. */
static bool check_insertions(struct check *c, const struct check_clone *k)
{
  for (uint32_t i = 0; i < k->list_calls.count; i++) {
    uint32_t inst = k->list_calls.items[i].inst;
    if (k->list_calls.items[i].early && !early_heap_list_is_freed_at_exit(k, inst) &&
        !begin_is_executed_on_no_path(c, k, k->fn.inst_block[inst], 2 * check_position(k, inst)))
      return check_refute(c, k, k->fn.insts[inst], "it uses the list of blocks from before llvm.coro.begin after it");
  }
  return true;
}

bool early_heap_list_check(struct check *c, const struct check_clone *k)
{
  if (!k->early_list)
    return true;
  if (!is_only_list(k))
    return check_refute(c, k, k->early_list, "it is not only the list of blocks from before llvm.coro.begin");
  if (!are_blocks_moved_to_frame(k))
    return check_refute(c, k, k->early_list, "its blocks are not in the frame's list after llvm.coro.begin");
  return check_exits(c, k) && check_insertions(c, k);
}
