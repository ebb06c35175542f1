/* Changes of existing IR: replacing uses, erasing instructions and blocks, splitting blocks, adding incoming values to
   phis.
   Requires: ir_building.h.
   Guarantees: objects of erased values are stale. Checked here because LLVM-C does not: types agree, erased values are
   unused, no value is replaced by a constant built from it. */
#include <string.h>

#include "ir/edit.h"
#include "ir_building.h"
#include "transform/split_block.h"

/* ---- Phis ---- */

bool ir_change_add_incoming(struct build_site *site, PyObject *args)
{
  PyObject *item, *from;
  if (!LLVMIsAPHINode(site->target))
    return site_raise_usage_error(site, "only a phi has incoming values");
  if (!site_parse(site, args, "OO", &item, &from))
    return false;
  LLVMValueRef value = site_operand_of(site, item, LLVMTypeOf(site->target), "an incoming value");
  LLVMBasicBlockRef block = value ? site_block(site, from, "an incoming block") : NULL;
  if (block)
    LLVMAddIncoming(site->target, &value, &block, 1);
  return block;
}

/* ---- Uses ---- */

enum { MOST_VISITED = 1 << 16 };

/* Whether the constant refers to the global; true as well if the search exceeds its limit. */
static bool may_refer_to_global(LLVMValueRef constant, LLVMValueRef global, unsigned *visited)
{
  if (constant == global || ++*visited > MOST_VISITED)
    return true;
  bool another_name =
      LLVMIsAGlobalAlias(constant) || LLVMIsAGlobalIFunc(constant); /* LLVM resolves these recursively */
  if ((LLVMIsAGlobalValue(constant) && !another_name) || !LLVMIsConstant(constant) || !LLVMIsAUser(constant))
    return false;
  int count = LLVMGetNumOperands(constant);
  for (int i = 0; i < count; i++) {
    LLVMValueRef operand = LLVMGetOperand(constant, (unsigned)i);
    if (operand && may_refer_to_global(operand, global, visited))
      return true;
  }
  return false;
}

static bool check_value_is_replaceable(struct build_site *site, LLVMValueRef old)
{
  bool block = LLVMValueIsBasicBlock(old);
  return (!block && (LLVMIsAGlobalValue(old) || LLVMIsAInstruction(old) || LLVMIsAArgument(old))) ||
         site_raise_usage_error(site, "only uses of instructions, arguments and globals can be replaced");
}

static bool check_replacement(struct build_site *site, LLVMValueRef old, LLVMValueRef with)
{
  unsigned visited = 0;
  bool global = LLVMIsAGlobalValue(old);
  if (global && !LLVMIsConstant(with))
    return site_raise_usage_error(site, "constants may use a global, so only a constant can replace it");
  if (global && may_refer_to_global(with, old, &visited))
    return site_raise_usage_error(site, "a global cannot be replaced by a constant that contains it");
  if (LLVMIsAFunction(old) && LLVMGetIntrinsicID(old))
    return site_raise_usage_error(site, "an intrinsic cannot be replaced: replace its calls");
  return old != with || site_raise_usage_error(site, "a value cannot be replaced by itself");
}

/* The replacement may use the old value, as `freeze %x` for %x. Restores its operands after the replacement. */
static void restore_own_operands(LLVMValueRef old, LLVMValueRef with)
{
  if (!LLVMIsAInstruction(with))
    return;
  int count = LLVMGetNumOperands(with);
  for (int i = 0; i < count; i++)
    if (LLVMGetOperand(with, (unsigned)i) == with)
      LLVMSetOperand(with, (unsigned)i, old);
}

bool ir_change_replace(struct build_site *site, PyObject *args)
{
  PyObject *item;
  LLVMValueRef old = site->target;
  if (!site_parse(site, args, "O", &item) || !check_value_is_replaceable(site, old))
    return false;
  bool global = LLVMIsAGlobalValue(old);
  if (global)
    site->function = NULL;
  LLVMValueRef with = site_operand_of(site, item, LLVMTypeOf(old), "the replacement");
  if (!with || !check_replacement(site, old, with))
    return false;
  if (global)
    core_ir_mark_constants_and_metadata_stale(site->module);
  else
    core_ir_mark_metadata_stale(site->module);
  bool itself = LLVMIsAPHINode(with);
  LLVMReplaceAllUsesWith(old, with);
  if (!itself)
    restore_own_operands(old, with);
  return true;
}

/* ---- Erasing ---- */

/* Whether a constant is used only by unused constants. Those are destroyed with the global that they refer to. */
static bool is_used_only_by_unused_constants(LLVMValueRef constant, unsigned *visited)
{
  if (++*visited > MOST_VISITED)
    return false;
  for (LLVMUseRef use = LLVMGetFirstUse(constant); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsConstant(user) || LLVMIsAGlobalValue(user) || LLVMIsABlockAddress(user) ||
        !is_used_only_by_unused_constants(user, visited))
      return false;
  }
  return true;
}

static bool erase_global(struct build_site *site, LLVMValueRef global)
{
  unsigned visited = 0;
  if (!is_used_only_by_unused_constants(global, &visited))
    return site_raise_usage_error(site, "the global is still used: replace its uses first");
  if (LLVMIsAGlobalAlias(global) || LLVMIsAGlobalIFunc(global))
    return site_raise_usage_error(site, "only functions and variables can be erased, not aliases");
  core_ir_mark_constants_and_metadata_stale(site->module);
  core_ir_mark_value_contents_metadata_stale(site->module, global);
  if (LLVMIsAFunction(global))
    LLVMDeleteFunction(global);
  else
    LLVMDeleteGlobal(global);
  return true;
}

static bool is_phi_incoming_from_block(LLVMValueRef phi, LLVMBasicBlockRef block)
{
  unsigned count = LLVMCountIncoming(phi);
  for (unsigned i = 0; i < count; i++)
    if (LLVMGetIncomingBlock(phi, i) == block)
      return true;
  return false;
}

/* Searches the function: LLVM-C exposes no list of the phis that name a block. */
static bool is_incoming_block_of_outside_phi(LLVMBasicBlockRef block)
{
  LLVMValueRef function = LLVMGetBasicBlockParent(block);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
      if (b != block && is_phi_incoming_from_block(i, block))
        return true;
  return false;
}

static bool has_value_used_outside(LLVMBasicBlockRef block)
{
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
      if (LLVMGetInstructionParent(LLVMGetUser(use)) != block)
        return true;
  return false;
}

/* Whether another block refers to the block. Its own instructions are dropped first and do not count. */
static bool is_target_of_other_block_or_address_taken(LLVMBasicBlockRef block)
{
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAInstruction(user) || LLVMGetInstructionParent(user) != block)
      return true;
  }
  return false;
}

static bool erase_block(struct build_site *site, LLVMBasicBlockRef block)
{
  if (is_target_of_other_block_or_address_taken(block))
    return site_raise_usage_error(site,
                                  "the block has predecessors, or its address is taken: redirect these uses first");
  if (is_incoming_block_of_outside_phi(block))
    return site_raise_usage_error(site, "a phi has the block as an incoming block: erase the phi first");
  if (has_value_used_outside(block))
    return site_raise_usage_error(site, "a value of the block is used in another block: replace its uses first");
  core_ir_mark_value_contents_metadata_stale(site->module, LLVMBasicBlockAsValue(block));
  LLVMDeleteBasicBlock(block);
  return true;
}

static bool erase_instruction(struct build_site *site, LLVMValueRef instruction)
{
  if (LLVMGetFirstUse(instruction))
    return site_raise_usage_error(site, "the instruction is still used: replace its uses first");
  core_ir_mark_value_contents_metadata_stale(site->module, instruction);
  LLVMInstructionEraseFromParent(instruction);
  return true;
}

bool ir_change_erase(struct build_site *site, PyObject *args)
{
  LLVMValueRef value = site->target;
  if (!site_parse(site, args, ""))
    return false;
  if (LLVMValueIsBasicBlock(value))
    return erase_block(site, LLVMValueAsBasicBlock(value));
  if (LLVMIsAInstruction(value))
    return erase_instruction(site, value);
  if (LLVMIsAGlobalValue(value))
    return erase_global(site, value);
  return site_raise_usage_error(site, "only instructions, blocks, functions and variables can be erased");
}

/* ---- Splitting ---- */

static bool check_split_position(struct build_site *site, LLVMValueRef instruction)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
  if (LLVMIsAPHINode(instruction))
    return site_raise_usage_error(site, "the phis of a block cannot be separated: split after them");
  if (site_is_pad(instruction))
    return site_raise_usage_error(site, "a pad cannot be separated from the edges to it: split after it");
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use))
    if (!LLVMIsAInstruction(LLVMGetUser(use)))
      return site_raise_usage_error(site, "the address of the block is taken: it cannot be split");
  return true;
}

bool ir_change_split(struct build_site *site, PyObject *args)
{
  LLVMValueRef first = site->target;
  if (LLVMValueIsBasicBlock(first) || !LLVMIsAInstruction(first))
    return site_raise_usage_error(site, "a block can only be split before one of its instructions");
  if (!site_parse(site, args, "N") || !check_split_position(site, first))
    return false;
  LLVMBasicBlockRef block = LLVMGetInstructionParent(first);
  struct coro_arena *arena = coro_arena_create();
  site->builder = LLVMCreateBuilderInContext(site->context);
  if (arena && split_block_before_each(arena, site->builder, &first, 1, "")) {
    site->built = LLVMBasicBlockAsValue(LLVMGetPreviousBasicBlock(block));
    edit_move_value_name(arena, LLVMBasicBlockAsValue(block), site->built);
    LLVMSetValueName2(site->built, site->name, strlen(site->name));
  }
  coro_arena_free(arena);
  return site->built || PyErr_NoMemory();
}
