/* Follows an address through a presplit function by a worklist of derived values. */
#include "analysis/pointer_walk.h"

#include "ir/edit.h"

/* Whether the callee gets a copy of the memory. */
static bool is_byval(LLVMValueRef call, unsigned argument)
{
  return edit_call_or_callee_has_attribute(call, argument + 1, "byval");
}

/* Whether the call is of llvm.ptrmask or llvm.launder or strip.invariant.group: returns an address computed from its
   operand, and does nothing else. */
static bool is_address_intrinsic(LLVMValueRef call)
{
  static const char *const names[] = {"llvm.ptrmask", "llvm.launder.invariant.group", "llvm.strip.invariant.group"};
  return intrin_calls_one_of(call, names, sizeof names / sizeof *names);
}

static bool may_follow_result(const struct pointer_walk *walk, uint32_t inst)
{
  return walk->shape->begin != IR_NONE && cfg_inst_dominates(walk->cfg, walk->shape->begin, inst);
}

static enum pointer_effect effect_of_call_on_address(struct pointer_walk *walk, uint32_t inst, LLVMValueRef address)
{
  LLVMValueRef call = walk->fn->insts[inst];
  struct pointer_arguments arguments = pointer_arguments_of(call, address);
  if (is_address_intrinsic(call))
    return POINTER_ALIAS;
  if (arguments.others)
    return POINTER_ESCAPES;
  for (unsigned a = arguments.first; arguments.count && a < LLVMGetNumArgOperands(call); a++) {
    if (LLVMGetOperand(call, a) != address || LLVMIsAMemIntrinsic(call) || edit_is_nocapture(call, a) ||
        is_byval(call, a))
      continue;
    if (!edit_is_captured_only_by_result(call, a) || !may_follow_result(walk, inst))
      return POINTER_ESCAPES;
    walk->returned = inst;
  }
  return POINTER_WRITTEN;
}

static enum pointer_effect effect_of_inst_on_address(struct pointer_walk *walk, uint32_t inst)
{
  LLVMValueRef user = walk->fn->insts[inst], address = ir_value(walk->fn, walk->address);
  switch (walk->shape->intrin[inst]) {
  case INTRIN_NONE: break;
  case INTRIN_LIFETIME_START: return POINTER_LIFETIME_START;
  case INTRIN_LIFETIME_END: return POINTER_LIFETIME_END;
  case INTRIN_ID: return POINTER_IGNORED;
  default: return POINTER_ESCAPES;
  }
  switch (pointer_use_of(user, address)) {
  case POINTER_USE_LOAD:
  case POINTER_USE_COMPARE: return POINTER_READ;
  case POINTER_USE_STORE:
  case POINTER_USE_UPDATE: return POINTER_WRITTEN;
  case POINTER_USE_ADDRESS:
  case POINTER_USE_FREEZE:
  case POINTER_USE_MERGE:
  case POINTER_USE_TO_INTEGER:
  case POINTER_USE_COMPUTE:
  case POINTER_USE_INSERT:
  case POINTER_USE_EXTRACT:
  case POINTER_USE_SHUFFLE: return POINTER_ALIAS;
  case POINTER_USE_HINT:
  case POINTER_USE_CALL: return effect_of_call_on_address(walk, inst, address);
  default: return POINTER_ESCAPES;
  }
}

bool pointer_walk_init(struct pointer_walk *walk, struct coro_arena *arena, const struct ir_fn *fn,
                       const struct coro_shape *shape, const struct coro_cfg *cfg)
{
  *walk = (struct pointer_walk){.fn = fn, .shape = shape, .cfg = cfg, .returned = IR_NONE};
  return worklist_init(&walk->aliases, arena, fn->inst_count);
}

static void set_address_to_visit(struct pointer_walk *walk, uint32_t address)
{
  walk->address = address;
  walk->use = LLVMGetFirstUse(ir_value(walk->fn, address));
}

void pointer_walk_start(struct pointer_walk *walk, uint32_t address)
{
  worklist_restart(&walk->aliases);
  set_address_to_visit(walk, address);
}

/* The next use of the current value. False: none is left. */
static bool advance_to_next_use(struct pointer_walk *walk, struct pointer_visit *visit)
{
  if (walk->returned != IR_NONE) {
    *visit = (struct pointer_visit){walk->returned, walk->address, POINTER_ALIAS};
    walk->returned = IR_NONE;
    if (worklist_enter(&walk->aliases, visit->inst))
      return true;
  }
  while (walk->use) {
    uint32_t inst = ir_inst(walk->fn, LLVMGetUser(walk->use)); /* IR_NONE in unreachable blocks */
    walk->use = LLVMGetNextUse(walk->use);
    if (inst == IR_NONE)
      continue;
    walk->returned = IR_NONE;
    *visit = (struct pointer_visit){inst, walk->address, effect_of_inst_on_address(walk, inst)};
    if (visit->effect != POINTER_ALIAS || worklist_enter(&walk->aliases, inst))
      return true;
  }
  return false;
}

bool pointer_walk_next(struct pointer_walk *walk, struct pointer_visit *visit)
{
  uint32_t alias;
  while (!advance_to_next_use(walk, visit)) {
    if (!worklist_take(&walk->aliases, &alias))
      return false;
    set_address_to_visit(walk, ir_value_of_inst(walk->fn, alias));
  }
  return true;
}
