/* Finds the cleanup of a destroyed coroutine that equals the ramp's cleanup after an exception. A frontend generates
   both from the same scopes: one that all suspends share, where a phi selects the destination, and a copy for
   exceptions. */
#include "passes/equal_cleanup.h"

#include "ir/constant_fold.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "llvm-c/DebugInfo.h"
#include "transform/debug_nodes.h"
#include "transform/identical_instruction.h"

/* Limits: blocks of a cleanup, its instructions with results. */
enum { MAX_ITEMS = 64 };

struct pair {
  LLVMValueRef kept, copy;
};

struct comparison {
  struct pass_run *run;
  LLVMBasicBlockRef propagation; /* where the exception propagates */
  struct equal_cleanup *found;
  LLVMValueRef selector_switch; /* the switch on the selector */
  struct coro_map counterparts; /* value of the destroy path's cleanup -> value of the ramp's */
  struct pair paths[MAX_ITEMS];
  unsigned value_count, path_count;
};

/* ---- Traversal ---- */

static LLVMValueRef skip_lifetime_markers(const struct comparison *c, LLVMValueRef instruction)
{
  while (edit_is_call(instruction) && intrin_is_lifetime(intrin_of_call(c->run->intrin, instruction)))
    instruction = LLVMGetNextInstruction(instruction);
  return instruction;
}

/* The block reached from the edge through branches on known selectors. The last such phi and its value become
   found->phi and found->selector. NULL: another condition decides. */
static LLVMBasicBlockRef follow_branches_on_known_selector(struct comparison *c, LLVMBasicBlockRef from,
                                                           LLVMBasicBlockRef block)
{
  struct equal_cleanup *f = c->found;
  for (unsigned i = 0; i < MAX_ITEMS; i++) {
    LLVMValueRef first = LLVMGetFirstInstruction(block), next = first;
    if (LLVMIsAPHINode(first)) {
      LLVMValueRef value = edit_incoming_from(first, from);
      f->selector = value == f->phi ? f->selector : value;
      if (!f->selector || !LLVMIsAConstantInt(f->selector))
        return NULL;
      f->phi = first;
      next = LLVMGetNextInstruction(first);
    }
    next = skip_lifetime_markers(c, next);
    bool jumps = flow_is_jump(next);
    if (!jumps && !(f->selector && flow_branch_operand(next) == f->phi))
      return block;
    from = block;
    block = LLVMGetSuccessor(next, jumps ? 0 : constant_successor_or_unknown(next, f->phi, f->selector));
  }
  return NULL;
}

/* The next instruction with an effect, from this one on; NULL if it depends on the path. */
static LLVMValueRef next_instruction_with_effect(const struct comparison *c, LLVMValueRef i)
{
  for (unsigned jumps = 0; jumps < MAX_ITEMS; jumps++) {
    i = skip_lifetime_markers(c, i);
    if (LLVMIsAPHINode(i))
      return NULL;
    if (!flow_is_jump(i) || LLVMGetInstructionParent(i) == c->propagation)
      return i;
    i = LLVMGetFirstInstruction(LLVMGetSuccessor(i, 0));
  }
  return NULL;
}

/* ---- Equivalence of the cleanups ---- */

static bool match_instruction_pair(struct comparison *c, LLVMValueRef kept, LLVMValueRef copy)
{
  return is_identical_call_gep_icmp_or_load(kept, copy) &&
         have_equivalent_nonblock_operands(&c->counterparts, kept, copy) && c->value_count++ < MAX_ITEMS &&
         coro_map_put(&c->counterparts, coro_map_key(kept), coro_map_key(copy));
}

/* False: one of the blocks is paired with another already, has no instruction, or there are too many pairs. */
static bool enqueue_block_pair_if_consistent(struct comparison *c, LLVMBasicBlockRef kept, LLVMBasicBlockRef copy)
{
  struct pair path = {next_instruction_with_effect(c, LLVMGetFirstInstruction(kept)),
                      next_instruction_with_effect(c, LLVMGetFirstInstruction(copy))};
  for (unsigned i = 0; i < c->path_count; i++)
    if (c->paths[i].kept == path.kept)
      return c->paths[i].copy == path.copy;
  if (!path.kept || !path.copy || c->path_count == MAX_ITEMS)
    return false;
  c->paths[c->path_count++] = path;
  return true;
}

/* Compares both from here up to branches, or to where the ramp propagates the exception and the other switches on the
   selector. */
static bool match_paths_until_branch(struct comparison *c, LLVMValueRef kept, LLVMValueRef copy)
{
  while (kept && copy && !LLVMIsATerminatorInst(kept) && LLVMGetInstructionParent(copy) != c->propagation) {
    if (!match_instruction_pair(c, kept, copy))
      return false;
    kept = next_instruction_with_effect(c, LLVMGetNextInstruction(kept));
    copy = next_instruction_with_effect(c, LLVMGetNextInstruction(copy));
  }
  if (!kept || !copy)
    return false;
  if (LLVMGetInstructionParent(copy) == c->propagation) {
    bool other = c->selector_switch && c->selector_switch != kept;
    c->selector_switch = kept;
    return !other && LLVMIsATerminatorInst(kept) && flow_switch_operand(kept) == c->found->phi;
  }
  LLVMValueRef condition = flow_branch_condition(kept),
               other_condition = LLVMIsATerminatorInst(copy) ? flow_branch_condition(copy) : NULL;
  return condition && other_condition && is_equivalent_value(&c->counterparts, condition, other_condition) &&
         enqueue_block_pair_if_consistent(c, LLVMGetSuccessor(kept, 0), LLVMGetSuccessor(copy, 0)) &&
         enqueue_block_pair_if_consistent(c, LLVMGetSuccessor(kept, 1), LLVMGetSuccessor(copy, 1));
}

/* Compares all blocks. A back edge to the cleanup's entry may carry another selector, so it counts as different. */
static bool are_cleanups_identical(struct comparison *c, LLVMBasicBlockRef copy)
{
  bool same = true;
  c->paths[c->path_count++] = (struct pair){next_instruction_with_effect(c, LLVMGetNextInstruction(c->found->phi)),
                                            next_instruction_with_effect(c, LLVMGetFirstInstruction(copy))};
  for (unsigned i = 0; i < c->path_count && same; i++)
    same = match_paths_until_branch(c, c->paths[i].kept, c->paths[i].copy);
  return same && c->selector_switch;
}

/* Whether the coroutine ends right after the cleanup. */
static bool coroutine_ends_after_cleanup(const struct comparison *c)
{
  unsigned successor = constant_successor_or_unknown(c->selector_switch, c->found->phi, c->found->selector);
  LLVMBasicBlockRef block = LLVMGetSuccessor(c->selector_switch, successor);
  for (unsigned jumps = 0; jumps < MAX_ITEMS; jumps++) {
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(i))
      i = LLVMGetNextInstruction(i);
    i = skip_lifetime_markers(c, i);
    if (!flow_is_jump(i))
      return intrin_of_call(c->run->intrin, i) == INTRIN_END &&
             !edit_is_nonzero_integer_constant(LLVMGetOperand(i, END_UNWINDS));
    block = LLVMGetSuccessor(i, 0);
  }
  return false;
}

/* ---- Debug records ---- */

/* The blocks that are reachable from the cleanup. */
struct reached {
  LLVMBasicBlockRef blocks[MAX_ITEMS];
  unsigned count;
};

static bool is_block_reached(const struct reached *r, LLVMBasicBlockRef block)
{
  bool found = false;
  for (unsigned b = 0; b < r->count && !found; b++)
    found = r->blocks[b] == block;
  return found;
}

/* False: there are too many blocks. */
static bool add_successors_within_limit(struct reached *r, LLVMBasicBlockRef block)
{
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
  for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++) {
    LLVMBasicBlockRef to = LLVMGetSuccessor(terminator, i);
    if (is_block_reached(r, to))
      continue;
    if (r->count == MAX_ITEMS)
      return false;
    r->blocks[r->count++] = to;
  }
  return true;
}

/* Whether records before the instruction only use values of these blocks, or of the entry block. An exception may come
   before other values are defined. */
static bool records_before_inst_use_only_reached_values(const struct reached *r, LLVMContextRef context,
                                                        LLVMValueRef inst)
{
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(edit_function_of(inst));
  for (LLVMDbgRecordRef d = LLVMGetFirstDbgRecord(inst); d; d = LLVMGetNextDbgRecord(d)) {
    if (LLVMDbgRecordGetKind(d) == LLVMDbgRecordLabel)
      continue;
    LLVMValueRef value = LLVMDbgVariableRecordGetValue(d, 0);
    LLVMBasicBlockRef defined = value && edit_is_instruction(value) ? LLVMGetInstructionParent(value) : entry;
    if (!ir_expression_takes_one_value(context, LLVMDbgVariableRecordGetExpression(d)) ||
        (defined != entry && !is_block_reached(r, defined)))
      return false;
  }
  return true;
}

static bool records_of_cleanup_use_only_its_values(const struct comparison *c)
{
  struct reached r = {{c->found->entry}, 1};
  bool fine = true, records = LLVMGetSubprogram(LLVMGetBasicBlockParent(c->found->entry));
  for (unsigned b = 0; b < r.count && fine && records; b++)
    fine = add_successors_within_limit(&r, r.blocks[b]);
  for (unsigned b = 0; b < r.count && fine && records; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(r.blocks[b]); i && fine; i = LLVMGetNextInstruction(i))
      fine = records_before_inst_use_only_reached_values(&r, c->run->context, i);
  return fine;
}

bool equal_cleanup_find_if_any(struct pass_run *run, LLVMValueRef branch, LLVMValueRef suspend,
                               struct equal_cleanup *found)
{
  struct comparison c = {.run = run, .propagation = LLVMGetSuccessor(branch, 1), .found = found};
  LLVMBasicBlockRef suspended = LLVMGetInstructionParent(suspend);
  LLVMValueRef suspend_switch = LLVMGetBasicBlockTerminator(suspended);
  *found = (struct equal_cleanup){0};
  coro_map_init(&c.counterparts, run->arena);
  if (flow_switch_operand(suspend_switch) != suspend)
    return false;
  unsigned destroyed =
      constant_successor_or_unknown(suspend_switch, suspend, LLVMConstInt(LLVMTypeOf(suspend), 1, false));
  found->entry = follow_branches_on_known_selector(&c, suspended, LLVMGetSuccessor(suspend_switch, destroyed));
  return found->entry && found->phi && LLVMGetInstructionParent(found->phi) == found->entry &&
         !LLVMIsAPHINode(LLVMGetNextInstruction(found->phi)) &&
         !LLVMIsAPHINode(LLVMGetFirstInstruction(c.propagation)) &&
         are_cleanups_identical(&c, LLVMGetSuccessor(branch, 0)) && coroutine_ends_after_cleanup(&c) &&
         records_of_cleanup_use_only_its_values(&c);
}
