/* Compares chain lengths of recomputed instructions with a limit, and searches cheaper roots to spill; see remat.h. */
#include "lowering/remat.h"

#include <string.h>

#include "ir/operand.h"
#include "ir/thread_dependent.h"
#include "lowering/abi.h"
#include "lowering/placement_policy.h"

/* Maximal length of a chain of instructions that is recomputed at each resume. */
enum { REMAT_DEPTH = ALLOCA_MAX_REMAT_DEPTH, REMAT_DEPTH_BY_POLICY = 16 };

enum { UNKNOWN, KNOWN };
enum remat_verdict {
  REMAT_UNKNOWN,
  REMAT_NO,
  REMAT_YES,
  REMAT_FORCED /* by the ABI, although pycoro would not */
};

struct remat_search {
  struct coro_lowering *low;
  struct coro_arena *arena;
  struct coro_remat *remat;
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  coro_status status; /* status of policy calls */
  unsigned char *verdict; /* indexed by instruction: the policy's answer */
  unsigned char *depth; /* indexed by value: length of the chain that recomputes it */
  unsigned max_length; /* limit of a chain */
  unsigned char *chains; /* memo indexed by instruction and budget: UNKNOWN, or chain length plus KNOWN */
};

/* Indexed by instruction: the only value, besides those available anyway, from which it can be recomputed (itself if
   there is no other), and the chain length from there. */
struct root {
  uint32_t value;
  unsigned length;
};

/* Indexed by value: totals of the values that could be recomputed from it. */
struct dependents {
  uint64_t root_bytes, bytes; /* bytes of the value, and of all other values */
  uint32_t use; /* first use of any of them */
};

/* A division lowered to a multiplication and a shift; other divisions are too slow. */
static bool is_narrow_division_by_constant(LLVMValueRef inst)
{
  LLVMTypeRef type = LLVMTypeOf(inst);
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64 &&
         LLVMIsAConstantInt(LLVMGetOperand(inst, DIVISOR));
}

static bool is_cheap_opcode(const struct remat_search *c, uint32_t inst)
{
  LLVMValueRef value = c->fn->insts[inst];
  switch (c->fn->opcode[inst]) {
  case LLVMGetElementPtr:
  case LLVMFNeg:
  case LLVMICmp:
  case LLVMFCmp:
  case LLVMSelect: return true;
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem: return is_narrow_division_by_constant(value);
  case LLVMFRem: return false;
  default: return LLVMIsACastInst(value) || LLVMIsABinaryOperator(value);
  }
}

/* Whether recomputation is cheap, and gives the same value on another thread. */
static bool is_cheap_and_thread_independent(const struct remat_search *c, uint32_t inst)
{
  return c->shape->intrin[inst] == INTRIN_ALLOCA_GET ||
         (is_cheap_opcode(c, inst) && !ir_has_thread_local_constant_operand(c->fn->insts[inst]));
}

/* Whether the address may be an alloca of this function. Its placement and content are decided elsewhere, so loads
   from it are not recomputed. */
static bool may_be_alloca(LLVMValueRef address)
{
  if (LLVMGetTypeKind(LLVMTypeOf(address)) != LLVMPointerTypeKind)
    return false;
  while (LLVMIsAGetElementPtrInst(address) || LLVMIsABitCastInst(address) || LLVMIsAAddrSpaceCastInst(address))
    address = LLVMGetOperand(address, ADDRESS_BASE);
  return LLVMIsAAllocaInst(address) || LLVMIsAPHINode(address) || LLVMIsASelectInst(address);
}

static bool is_load_or_call_on_possible_alloca(LLVMValueRef inst)
{
  if (!LLVMIsALoadInst(inst) && !LLVMIsACallInst(inst))
    return false;
  for (int o = 0; o < LLVMGetNumOperands(inst); o++)
    if (may_be_alloca(LLVMGetOperand(inst, (unsigned)o)))
      return true;
  return false;
}

/* Whether the policy may have it copied elsewhere: no control flow, phi, alloca, store, pad, token or coroutine
   intrinsic, and no load or call on a possible alloca. Whether its effects permit that is for the policy to know. */
static bool can_copy_instruction(const struct remat_search *c, uint32_t inst)
{
  switch (c->fn->opcode[inst]) {
  case LLVMPHI:
  case LLVMAlloca:
  case LLVMInvoke:
  case LLVMLandingPad:
  case LLVMCatchPad:
  case LLVMCleanupPad:
  case LLVMStore: return false;
  default: break;
  }
  return c->shape->intrin[inst] == INTRIN_NONE &&
         LLVMGetTypeKind(LLVMTypeOf(c->fn->insts[inst])) != LLVMTokenTypeKind &&
         !LLVMIsATerminatorInst(c->fn->insts[inst]) && !is_load_or_call_on_possible_alloca(c->fn->insts[inst]);
}

/* The address of an alloca, within the chain limit: always rematerialized, as lowering/alloca.h assumes. */
static bool is_rematerialized_alloca_address(const struct remat_search *c, uint32_t inst)
{
  return c->low->allocas.remat_depth[ir_value_of_inst(c->fn, inst)];
}

static bool is_rematerializable_by_cost_or_policy(struct remat_search *c, uint32_t inst)
{
  const struct coro_policies *policies = &c->low->abi->policies;
  bool rematerialized = is_cheap_and_thread_independent(c, inst);
  if (!policies->rematerialize || !can_copy_instruction(c, inst) || is_rematerialized_alloca_address(c, inst))
    return rematerialized;
  if (c->verdict[inst] == REMAT_UNKNOWN && c->status == CORO_OK) {
    bool cheap = rematerialized;
    c->status = policies->rematerialize(policies, c->low, inst, &rematerialized);
    c->verdict[inst] = !rematerialized ? REMAT_NO : cheap ? REMAT_YES : REMAT_FORCED;
  }
  return c->verdict[inst] != REMAT_NO;
}

static unsigned memoized_chain_length_or_0(struct remat_search *c, uint32_t inst, unsigned budget);

/* Chain length to make an operand available after the suspend: 0 if it is available, IR_NONE if it would need a
   spill. */
static unsigned chain_length_of_operand_or_none(struct remat_search *c, uint32_t operand, unsigned budget)
{
  if (operand == IR_NONE || coro_value_is_in_every_clone(c->low, operand))
    return 0;
  if (operand & IR_BLOCK)
    return IR_NONE;
  if (coro_bits_get(&c->remat->rematerialized, operand))
    return c->depth[operand];
  if (coro_bits_get(&c->remat->spilled, operand))
    return 0;
  uint32_t inst = ir_inst_of_value(c->fn, operand);
  unsigned depth = inst == IR_NONE || !is_rematerializable_by_cost_or_policy(c, inst)
                       ? 0
                       : memoized_chain_length_or_0(c, inst, budget);
  return depth ? depth : IR_NONE;
}

static bool can_operand_be_spilled(const struct remat_search *c, uint32_t operand)
{
  if (operand & IR_BLOCK)
    return false;
  LLVMTypeRef type = LLVMTypeOf(ir_value(c->fn, operand));
  return LLVMGetTypeKind(type) != LLVMTokenTypeKind && LLVMTypeIsSized(type) &&
         !may_be_alloca(ir_value(c->fn, operand));
}

static unsigned compute_chain_length(struct remat_search *c, uint32_t inst, unsigned budget)
{
  unsigned deepest = 0;
  for (uint32_t o = c->fn->operand_start[inst]; o < c->fn->operand_start[inst + 1]; o++) {
    uint32_t operand = c->fn->operands[o];
    unsigned depth = chain_length_of_operand_or_none(c, operand, budget - 1);
    if (depth == IR_NONE && c->verdict[inst] == REMAT_FORCED && can_operand_be_spilled(c, operand))
      depth = 0;
    if (depth == IR_NONE || depth >= budget)
      return 0;
    deepest = depth > deepest ? depth : deepest;
  }
  return deepest + 1;
}

/* Longest chain from available values to this one, or 0 if it exceeds the budget. Memoized per budget, since many
   chains share instructions. Values spilled later could only shorten it. */
static unsigned memoized_chain_length_or_0(struct remat_search *c, uint32_t inst, unsigned budget)
{
  if (!budget)
    return 0;
  unsigned char *known = &c->chains[(size_t)inst * c->max_length + budget - 1];
  if (*known == UNKNOWN)
    *known = (unsigned char)(compute_chain_length(c, inst, budget) + KNOWN);
  return *known - KNOWN;
}

/* Spills the operand that a forced rematerialization uses. */
static void spill_operand(struct remat_search *c, uint32_t operand, uint32_t inst)
{
  coro_bits_set(&c->remat->spilled, operand);
  c->remat->use[operand] = inst;
}

/* Marks the value and the instructions of its chain as rematerialized. */
static void mark_chain_rematerialized(struct remat_search *c, uint32_t inst, unsigned depth)
{
  uint32_t value = ir_value_of_inst(c->fn, inst);
  coro_bits_set(&c->remat->rematerialized, value);
  coro_bits_unset(&c->remat->spilled, value);
  c->depth[value] = (unsigned char)depth;
  for (uint32_t o = c->fn->operand_start[inst]; o < c->fn->operand_start[inst + 1]; o++) {
    uint32_t operand = c->fn->operands[o];
    if (operand == IR_NONE || coro_value_is_in_every_clone(c->low, operand) ||
        coro_bits_get(&c->remat->rematerialized, operand) || coro_bits_get(&c->remat->spilled, operand))
      continue;
    unsigned length = chain_length_of_operand_or_none(c, operand, depth - 1);
    if (length == IR_NONE)
      spill_operand(c, operand, inst);
    else
      mark_chain_rematerialized(c, ir_inst_of_value(c->fn, operand), length);
  }
}

/* ---- Policy of the ABI ---- */

static coro_spill_choice query_frame_policy_about_value(struct remat_search *c, uint32_t value, bool in_frame,
                                                        const char *why, const char *obstacle)
{
  coro_spill_choice wanted = CORO_SPILL_DEFAULT;
  if (c->status == CORO_OK)
    c->status = placement_query_policy_about_value(c->low, value, in_frame, why, obstacle, &wanted);
  return wanted;
}

/* Excludes addresses of allocas, which have no separate field, and tokens. */
static bool is_candidate_for_frame_policy(const struct remat_search *c, uint32_t inst)
{
  return c->low->abi->policies.keep_in_frame && !is_rematerialized_alloca_address(c, inst) &&
         c->shape->intrin[inst] != INTRIN_ALLOCA_GET &&
         LLVMGetTypeKind(LLVMTypeOf(c->fn->insts[inst])) != LLVMTokenTypeKind;
}

/* The chain length for a forced or a normal rematerialization. */
static unsigned set_verdict_and_recompute_chain_length(struct remat_search *c, uint32_t inst,
                                                       enum remat_verdict verdict)
{
  c->verdict[inst] = (unsigned char)verdict;
  memset(&c->chains[(size_t)inst * c->max_length], UNKNOWN, c->max_length);
  return memoized_chain_length_or_0(c, inst, c->max_length);
}

/* Queries the policy about a value that would be spilled. Returns the chain length that recomputes it; 0: spill. */
static unsigned chain_length_after_policy_or_0(struct remat_search *c, uint32_t inst)
{
  enum remat_verdict verdict = c->verdict[inst];
  const char *obstacle = NULL;
  unsigned depth = 0;
  if (!is_rematerializable_by_cost_or_policy(c, inst))
    obstacle = verdict == REMAT_NO ? "the ABI's rematerialize() requires it" : "recomputing it may give another value";
  else if (!(depth = set_verdict_and_recompute_chain_length(c, inst, REMAT_FORCED)))
    obstacle = "its operands are not available after the suspend";
  static const char why[] = "it is defined before a suspend and used after it";
  coro_spill_choice wanted = query_frame_policy_about_value(c, ir_value_of_inst(c->fn, inst), true, why, obstacle);
  if (wanted != CORO_SPILL_NEVER && depth)
    depth = set_verdict_and_recompute_chain_length(c, inst, verdict);
  return depth;
}

static void decide_spill_or_rematerialization(struct remat_search *c, uint32_t inst)
{
  uint32_t value = ir_value_of_inst(c->fn, inst);
  if (!coro_bits_get(&c->remat->spilled, value))
    return;
  unsigned depth =
      is_rematerializable_by_cost_or_policy(c, inst) ? memoized_chain_length_or_0(c, inst, c->max_length) : 0;
  if (is_candidate_for_frame_policy(c, inst)) {
    if (!depth)
      depth = chain_length_after_policy_or_0(c, inst);
    else if (query_frame_policy_about_value(c, value, false, "it is rematerialized after the suspend", NULL) ==
             CORO_SPILL_ALWAYS)
      depth = 0;
  }
  if (depth)
    mark_chain_rematerialized(c, inst, depth);
}

/* Queries the policy about arguments, and about values spilled on behalf of others. */
static void query_policy_about_arguments_and_operands(struct remat_search *c)
{
  static const char argument[] = "it is a function argument; only the ramp receives arguments",
                    operand[] = "a value that is rematerialized after a suspend uses it";
  for (uint32_t v = 0; c->low->abi->policies.keep_in_frame && v < ir_value_count(c->fn); v++)
    if (coro_bits_get(&c->remat->spilled, v) &&
        (v < c->fn->arg_count || !coro_bits_get(&c->low->crossing.live_across_suspend, v))) {
      const char *why = v < c->fn->arg_count ? argument : operand;
      query_frame_policy_about_value(c, v, true, why, why);
    }
}

/* ---- Spilling one value in place of several ---- */

/* The root of a value. A spilled value is replaced by its own root, since it may be rematerialized itself. */
static struct root root_to_recompute_inst(const struct remat_search *c, const struct root *roots, uint32_t inst)
{
  const struct root itself = {ir_value_of_inst(c->fn, inst), 0};
  struct root root = {IR_NONE, 0};
  if (!is_cheap_and_thread_independent(c, inst) || is_rematerialized_alloca_address(c, inst) ||
      c->shape->intrin[inst] != INTRIN_NONE)
    return itself;
  for (uint32_t o = c->fn->operand_start[inst]; o < c->fn->operand_start[inst + 1]; o++) {
    uint32_t operand = c->fn->operands[o];
    if (operand == IR_NONE || coro_value_is_in_every_clone(c->low, operand))
      continue;
    uint32_t def = ir_inst_of_value(c->fn, operand);
    struct root of = def == IR_NONE ? (struct root){operand, 0} : roots[def];
    if (coro_bits_get(&c->remat->rematerialized, operand)) {
      of = (struct root){root.value, c->depth[operand]};
    } else if (of.value == operand && coro_bits_get(&c->remat->spilled, operand)) {
      of.value = root.value;
    } else if (root.value != IR_NONE && root.value != of.value) {
      return itself;
    }
    root = (struct root){of.value, of.length > root.length ? of.length : root.length};
  }
  return root.value == IR_NONE ? itself : (struct root){root.value, root.length + 1};
}

static bool can_spill_root_instead(const struct remat_search *c, const struct root *root, uint32_t value)
{
  uint32_t def = ir_inst_of_value(c->fn, root->value), begin = c->shape->begin;
  if (def != IR_NONE && c->fn->opcode[def] == LLVMCallBr)
    return false; /* its result would have to be stored on each successor edge */
  return root->value != value && root->length <= c->max_length && coro_bits_get(&c->remat->spilled, value) &&
         !coro_bits_get(&c->remat->spilled, root->value) && can_operand_be_spilled(c, root->value) &&
         (def == IR_NONE || cfg_inst_dominates(&c->low->cfg, def, begin) ||
          cfg_inst_dominates(&c->low->cfg, begin, def));
}

/* Adds the value to those that spilling its root would make recomputable. Values smaller than the root are excluded,
   so no suspend has more bytes live than before. False: excluded, or the root cannot be spilled instead. */
static bool add_dependent_of_root_if_possible(struct remat_search *c, const struct root *root,
                                              struct dependents *dependents, uint32_t value)
{
  uint64_t root_bytes, bytes;
  if (!can_spill_root_instead(c, root, value) ||
      !ir_size_of(c->low->sizes, LLVMTypeOf(ir_value(c->fn, root->value)), &root_bytes) ||
      !ir_size_of(c->low->sizes, LLVMTypeOf(ir_value(c->fn, value)), &bytes) || bytes < root_bytes)
    return false;
  struct dependents *of = &dependents[root->value];
  uint32_t use = c->remat->use[value];
  of->use = of->bytes && of->use < use ? of->use : use;
  of->root_bytes = root_bytes;
  of->bytes += bytes;
  return true;
}

/* Spills a value that is not live across the suspend if other values with more bytes in total can be recomputed from
   it, such as two addresses within one object. */
static bool spill_roots_where_bytes_are_saved(struct remat_search *c)
{
  const struct coro_cfg *cfg = &c->low->cfg;
  struct root *roots = CORO_NEW_ARRAY(c->arena, struct root, c->fn->inst_count);
  struct dependents *dependents = CORO_NEW_ARRAY(c->arena, struct dependents, ir_value_count(c->fn));
  coro_insts made = {0}; /* candidates in dominance order */
  if (!roots || !dependents)
    return false;
  for (uint32_t i = 0; i < cfg->rpo.count; i++)
    for (uint32_t n = cfg->rpo.order[i], inst = cfg->nodes[n].first; inst < cfg->nodes[n].last; inst++) {
      roots[inst] = root_to_recompute_inst(c, roots, inst);
      if (add_dependent_of_root_if_possible(c, &roots[inst], dependents, ir_value_of_inst(c->fn, inst)) &&
          !coro_vec_push(c->arena, &made, inst))
        return false;
    }
  if (made.count)
    memset(c->chains, UNKNOWN, (size_t)c->fn->inst_count * c->max_length);
  for (uint32_t m = 0; m < made.count; m++) {
    uint32_t root = roots[made.items[m]].value;
    if (dependents[root].bytes <= dependents[root].root_bytes)
      continue;
    spill_operand(c, root, dependents[root].use);
    decide_spill_or_rematerialization(c, made.items[m]);
  }
  return true;
}

/* Initially, all values live across a suspend are spilled. */
static bool init_all_crossing_values_as_spilled(struct remat_search *c)
{
  const struct coro_crossing *crossing = &c->low->crossing;
  uint32_t values = ir_value_count(c->fn);
  c->chains = CORO_NEW_ARRAY(c->arena, unsigned char, (size_t)c->fn->inst_count * c->max_length);
  c->depth = CORO_NEW_ARRAY(c->arena, unsigned char, values);
  c->verdict = CORO_NEW_ARRAY(c->arena, unsigned char, c->fn->inst_count);
  c->remat->use = CORO_NEW_ARRAY(c->arena, uint32_t, values);
  if (coro_arena_failed(c->arena) || !coro_bits_init(&c->remat->rematerialized, c->arena, values) ||
      !coro_bits_init(&c->remat->spilled, c->arena, values))
    return false;
  coro_bits_union(&c->remat->spilled, &crossing->live_across_suspend);
  memcpy(c->remat->use, crossing->use, values * sizeof *crossing->use);
  return true;
}

coro_status coro_run_remat_stage(struct coro_lowering *low)
{
  struct remat_search c = {.low = low, .arena = low->arena, .remat = &low->remat, .fn = &low->fn, .shape = &low->shape};
  c.max_length = low->abi->policies.rematerialize ? REMAT_DEPTH_BY_POLICY : REMAT_DEPTH;
  if (!init_all_crossing_values_as_spilled(&c))
    return CORO_ENOMEM;
  for (uint32_t i = 0; i < low->cfg.rpo.count; i++) { /* definitions precede uses */
    const struct cfg_node *node = &low->cfg.nodes[low->cfg.rpo.order[i]];
    for (uint32_t inst = node->first; inst < node->last; inst++)
      decide_spill_or_rematerialization(&c, inst);
  }
  if (!low->abi->policies.rematerialize && !low->abi->policies.keep_in_frame && !spill_roots_where_bytes_are_saved(&c))
    return CORO_ENOMEM;
  query_policy_about_arguments_and_operands(&c);
  return c.status;
}
