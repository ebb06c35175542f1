/* Rematerialization: decides which values are recomputed after a suspend instead of spilled.
   Requires: number, shape, choose, cfg, crossing, allocas.
   Guarantees: each value live across a suspend is spilled or rematerialized. */
#include "coro/remat.h"

#include <string.h>

#include "coro/abi.h"
#include "coro/kept.h"
#include "ir/operand.h"
#include "ir/thread_dependent.h"

/* Maximal length of a chain of instructions that is recomputed at each resume. */
enum { REMAT_DEPTH = ALLOCA_MOST_STEPS, REMAT_DEPTH_BY_POLICY = 16 };

enum { UNKNOWN, KNOWN };
enum answer { UNASKED, NO, YES, INSISTS }; /* INSISTS: the ABI forces what pycoro would not do */

struct chooser {
  struct coro_lowering *low;
  struct coro_arena *arena;
  struct coro_remat *remat;
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  coro_status status;    /* status of policy calls */
  unsigned char *answer; /* indexed by instruction: the policy's answer */
  unsigned char *depth;  /* indexed by value: length of the chain that recomputes it */
  unsigned most;         /* limit of a chain */
  unsigned char *chains; /* memo indexed by instruction and budget: UNKNOWN, or chain length plus KNOWN */
};

/* Indexed by instruction: the only value, besides those available anyway, from which it can be recomputed (itself if
   there is no other), and the chain length from there. */
struct root {
  uint32_t value;
  unsigned length;
};

/* Indexed by value: totals of the values that could be recomputed from it. */
struct others {
  uint64_t own, bytes; /* bytes of the value, and of all the others */
  uint32_t use;        /* first use of any of them */
};

/* A division lowered to a multiplication and a shift; other divisions are too slow. */
static bool is_division_by_constant(LLVMValueRef inst)
{
  LLVMTypeRef type = LLVMTypeOf(inst);
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64 &&
         LLVMIsAConstantInt(LLVMGetOperand(inst, DIVISOR));
}

static bool is_cheap_opcode(const struct chooser *c, uint32_t inst)
{
  switch (c->fn->opcode[inst]) {
  case LLVMGetElementPtr:
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMFPTrunc:
  case LLVMFPExt:
  case LLVMFPToUI:
  case LLVMFPToSI:
  case LLVMUIToFP:
  case LLVMSIToFP:
  case LLVMPtrToInt:
  case LLVMIntToPtr:
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMLShr:
  case LLVMAShr:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
  case LLVMFDiv:
  case LLVMFNeg:
  case LLVMICmp:
  case LLVMFCmp:
  case LLVMSelect: return true;
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem: return is_division_by_constant(c->fn->insts[inst]);
  default: return false;
  }
}

/* Whether recomputation is cheap, and gives the same value on another thread. */
static bool is_cheap(const struct chooser *c, uint32_t inst)
{
  return c->shape->intrin[inst] == INTRIN_ALLOCA_GET ||
         (is_cheap_opcode(c, inst) && !ir_uses_thread_local(c->fn->insts[inst]));
}

/* Whether the address may be an alloca of this function. Its placement and content are decided elsewhere, so loads
   from it are not recomputed. */
static bool may_be_variable(LLVMValueRef address)
{
  if (LLVMGetTypeKind(LLVMTypeOf(address)) != LLVMPointerTypeKind)
    return false;
  while (LLVMIsAGetElementPtrInst(address) || LLVMIsABitCastInst(address) || LLVMIsAAddrSpaceCastInst(address))
    address = LLVMGetOperand(address, ADDRESS_BASE);
  return LLVMIsAAllocaInst(address) || LLVMIsAPHINode(address) || LLVMIsASelectInst(address);
}

static bool reads_variable(LLVMValueRef inst)
{
  if (!LLVMIsALoadInst(inst) && !LLVMIsACallInst(inst))
    return false;
  for (int o = 0; o < LLVMGetNumOperands(inst); o++)
    if (may_be_variable(LLVMGetOperand(inst, (unsigned)o)))
      return true;
  return false;
}

/* Whether a copy can be placed elsewhere: not control flow, no convergent or otherwise unique effect. */
static bool can_be_copied(const struct chooser *c, uint32_t inst)
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
         !LLVMIsATerminatorInst(c->fn->insts[inst]) && !reads_variable(c->fn->insts[inst]);
}

/* The address of an alloca, within the chain limit: always rematerialized, as coro/alloca.h assumes. */
static bool is_fixed(const struct chooser *c, uint32_t inst)
{
  return c->low->allocas.fixed[ir_value_of_inst(c->fn, inst)];
}

static bool may_be_made_again(struct chooser *c, uint32_t inst)
{
  const struct coro_policies *policies = &c->low->abi->policies;
  bool again = is_cheap(c, inst);
  if (!policies->rematerialise || !can_be_copied(c, inst) || is_fixed(c, inst))
    return again;
  if (c->answer[inst] == UNASKED && c->status == CORO_OK) {
    bool cheap = again;
    c->status = policies->rematerialise(policies, c->low, inst, &again);
    c->answer[inst] = !again ? NO : cheap ? YES : INSISTS;
  }
  return c->answer[inst] != NO;
}

static unsigned chain(struct chooser *c, uint32_t inst, unsigned budget);

/* Chain length to make an operand available after the suspend: 0 if it is available, IR_NONE if it would need a
   spill. */
static unsigned operand_depth(struct chooser *c, uint32_t operand, unsigned budget)
{
  if (operand == IR_NONE || coro_value_is_free(c->low, operand))
    return 0;
  if (operand & IR_BLOCK)
    return IR_NONE;
  if (coro_bits_get(&c->remat->again, operand))
    return c->depth[operand];
  if (coro_bits_get(&c->remat->kept, operand))
    return 0;
  uint32_t inst = ir_inst_of_value(c->fn, operand);
  unsigned depth = inst == IR_NONE || !may_be_made_again(c, inst) ? 0 : chain(c, inst, budget);
  return depth ? depth : IR_NONE;
}

static bool can_be_kept(const struct chooser *c, uint32_t operand)
{
  if (operand & IR_BLOCK)
    return false;
  LLVMTypeRef type = LLVMTypeOf(ir_value(c->fn, operand));
  return LLVMGetTypeKind(type) != LLVMTokenTypeKind && LLVMTypeIsSized(type) &&
         !may_be_variable(ir_value(c->fn, operand));
}

static unsigned find_chain(struct chooser *c, uint32_t inst, unsigned budget)
{
  unsigned deepest = 0;
  for (uint32_t o = c->fn->operand_start[inst]; o < c->fn->operand_start[inst + 1]; o++) {
    uint32_t operand = c->fn->operands[o];
    unsigned depth = operand_depth(c, operand, budget - 1);
    if (depth == IR_NONE && c->answer[inst] == INSISTS && can_be_kept(c, operand))
      depth = 0;
    if (depth == IR_NONE || depth >= budget)
      return 0;
    deepest = depth > deepest ? depth : deepest;
  }
  return deepest + 1;
}

/* Longest chain from available values to this one, or 0 if it exceeds the budget. Memoized per budget, since many
   chains share instructions. Values spilled later could only shorten it. */
static unsigned chain(struct chooser *c, uint32_t inst, unsigned budget)
{
  if (!budget)
    return 0;
  unsigned char *known = &c->chains[(size_t)inst * c->most + budget - 1];
  if (*known == UNKNOWN)
    *known = (unsigned char)(find_chain(c, inst, budget) + KNOWN);
  return *known - KNOWN;
}

/* Spills the operand that a forced rematerialization uses. */
static void keep(struct chooser *c, uint32_t operand, uint32_t inst)
{
  coro_bits_set(&c->remat->kept, operand);
  c->remat->use[operand] = inst;
}

/* Marks the value and the instructions of its chain as rematerialized. */
static void mark(struct chooser *c, uint32_t inst, unsigned depth)
{
  uint32_t value = ir_value_of_inst(c->fn, inst);
  coro_bits_set(&c->remat->again, value);
  coro_bits_unset(&c->remat->kept, value);
  c->depth[value] = (unsigned char)depth;
  for (uint32_t o = c->fn->operand_start[inst]; o < c->fn->operand_start[inst + 1]; o++) {
    uint32_t operand = c->fn->operands[o];
    if (operand == IR_NONE || coro_value_is_free(c->low, operand) || coro_bits_get(&c->remat->again, operand) ||
        coro_bits_get(&c->remat->kept, operand))
      continue;
    unsigned way = operand_depth(c, operand, depth - 1);
    if (way == IR_NONE)
      keep(c, operand, inst);
    else
      mark(c, ir_inst_of_value(c->fn, operand), way);
  }
}

/* ---- Policy of the ABI ---- */

static coro_spill_choice ask(struct chooser *c, uint32_t value, bool is_kept, const char *why, const char *obstacle)
{
  coro_spill_choice wanted = CORO_SPILL_DEFAULT;
  if (c->status == CORO_OK)
    c->status = kept_value(c->low, value, is_kept, why, obstacle, &wanted);
  return wanted;
}

/* Excludes addresses of allocas, which have no field of their own, and tokens. */
static bool is_asked_for(const struct chooser *c, uint32_t inst)
{
  return c->low->abi->policies.keep && !is_fixed(c, inst) && c->shape->intrin[inst] != INTRIN_ALLOCA_GET &&
         LLVMGetTypeKind(LLVMTypeOf(c->fn->insts[inst])) != LLVMTokenTypeKind;
}

/* The chain length for a forced or a normal rematerialization. */
static unsigned chain_at(struct chooser *c, uint32_t inst, enum answer answer)
{
  c->answer[inst] = (unsigned char)answer;
  memset(&c->chains[(size_t)inst * c->most], UNKNOWN, c->most);
  return chain(c, inst, c->most);
}

/* Queries the policy about a value that would be spilled. Returns the chain length that recomputes it; 0: spill. */
static unsigned ask_for_kept(struct chooser *c, uint32_t inst)
{
  enum answer answer = c->answer[inst];
  const char *obstacle = NULL;
  unsigned depth = 0;
  if (!may_be_made_again(c, inst))
    obstacle = answer == NO ? "the ABI's rematerialize() requires it" : "recomputing it may give another value";
  else if (!(depth = chain_at(c, inst, INSISTS)))
    obstacle = "its operands are not available after the suspend";
  static const char why[] = "it is defined before a suspend and used after it";
  coro_spill_choice wanted = ask(c, ir_value_of_inst(c->fn, inst), true, why, obstacle);
  if (wanted != CORO_SPILL_NEVER && depth)
    depth = chain_at(c, inst, answer);
  return depth;
}

static void choose(struct chooser *c, uint32_t inst)
{
  uint32_t value = ir_value_of_inst(c->fn, inst);
  if (!coro_bits_get(&c->remat->kept, value))
    return;
  unsigned depth = may_be_made_again(c, inst) ? chain(c, inst, c->most) : 0;
  if (is_asked_for(c, inst)) {
    if (!depth)
      depth = ask_for_kept(c, inst);
    else if (ask(c, value, false, "it is rematerialized after the suspend", NULL) == CORO_SPILL_ALWAYS)
      depth = 0;
  }
  if (depth)
    mark(c, inst, depth);
}

/* Queries the policy about arguments, and about values spilled on behalf of others. */
static void ask_for_others(struct chooser *c)
{
  static const char argument[] = "it is a function argument; only the ramp receives arguments",
                    operand[] = "a value that is rematerialized after a suspend uses it";
  for (uint32_t v = 0; c->low->abi->policies.keep && v < ir_value_count(c->fn); v++)
    if (coro_bits_get(&c->remat->kept, v) && (v < c->fn->arg_count || !coro_bits_get(&c->low->crossing.crosses, v))) {
      const char *why = v < c->fn->arg_count ? argument : operand;
      ask(c, v, true, why, why);
    }
}

/* ---- Spilling one value in place of several ---- */

/* The root of a value. A spilled value is replaced by its own root, since it may be rematerialized itself. */
static struct root root_of(const struct chooser *c, const struct root *roots, uint32_t inst)
{
  const struct root itself = {ir_value_of_inst(c->fn, inst), 0};
  struct root root = {IR_NONE, 0};
  if (!is_cheap(c, inst) || is_fixed(c, inst) || c->shape->intrin[inst] != INTRIN_NONE)
    return itself;
  for (uint32_t o = c->fn->operand_start[inst]; o < c->fn->operand_start[inst + 1]; o++) {
    uint32_t operand = c->fn->operands[o];
    if (operand == IR_NONE || coro_value_is_free(c->low, operand))
      continue;
    uint32_t def = ir_inst_of_value(c->fn, operand);
    struct root of = def == IR_NONE ? (struct root){operand, 0} : roots[def];
    if (coro_bits_get(&c->remat->again, operand)) {
      of = (struct root){root.value, c->depth[operand]};
    } else if (of.value == operand && coro_bits_get(&c->remat->kept, operand)) {
      of.value = root.value;
    } else if (root.value != IR_NONE && root.value != of.value) {
      return itself;
    }
    root = (struct root){of.value, of.length > root.length ? of.length : root.length};
  }
  return root.value == IR_NONE ? itself : (struct root){root.value, root.length + 1};
}

static bool can_stand_for(const struct chooser *c, const struct root *root, uint32_t value)
{
  uint32_t def = ir_inst_of_value(c->fn, root->value), begin = c->shape->begin;
  if (def != IR_NONE && c->fn->opcode[def] == LLVMCallBr)
    return false; /* its result would have to be stored on each successor edge */
  return root->value != value && root->length <= c->most && coro_bits_get(&c->remat->kept, value) &&
         !coro_bits_get(&c->remat->kept, root->value) && can_be_kept(c, root->value) &&
         (def == IR_NONE || cfg_dominates(&c->low->cfg, def, begin) || cfg_dominates(&c->low->cfg, begin, def));
}

/* Adds the value to those that spilling its root would make recomputable. Values smaller than the root are excluded,
   so no suspend has more bytes live than before. */
static bool add_to_root(struct chooser *c, const struct root *root, struct others *others, uint32_t value)
{
  uint64_t own, bytes;
  if (!can_stand_for(c, root, value) || !ir_size_of(c->low->sizes, LLVMTypeOf(ir_value(c->fn, root->value)), &own) ||
      !ir_size_of(c->low->sizes, LLVMTypeOf(ir_value(c->fn, value)), &bytes) || bytes < own)
    return false;
  struct others *of = &others[root->value];
  uint32_t use = c->remat->use[value];
  of->use = of->bytes && of->use < use ? of->use : use;
  of->own = own;
  of->bytes += bytes;
  return true;
}

/* Spills a value that is not live across the suspend if other values with more bytes in total can be recomputed from
   it, such as two addresses within one object. */
static bool keep_roots(struct chooser *c)
{
  const struct coro_cfg *cfg = &c->low->cfg;
  struct root *roots = CORO_NEW_ARRAY(c->arena, struct root, c->fn->inst_count);
  struct others *others = CORO_NEW_ARRAY(c->arena, struct others, ir_value_count(c->fn));
  coro_insts made = {0}; /* candidates in dominance order */
  if (!roots || !others)
    return false;
  for (uint32_t i = 0; i < cfg->rpo.count; i++)
    for (uint32_t n = cfg->rpo.order[i], inst = cfg->nodes[n].first; inst < cfg->nodes[n].last; inst++) {
      roots[inst] = root_of(c, roots, inst);
      if (add_to_root(c, &roots[inst], others, ir_value_of_inst(c->fn, inst)) && !coro_vec_push(c->arena, &made, inst))
        return false;
    }
  if (made.count)
    memset(c->chains, UNKNOWN, (size_t)c->fn->inst_count * c->most);
  for (uint32_t m = 0; m < made.count; m++) {
    uint32_t root = roots[made.items[m]].value;
    if (others[root].bytes <= others[root].own)
      continue;
    keep(c, root, others[root].use);
    choose(c, made.items[m]);
  }
  return true;
}

/* Initially, all values live across a suspend are spilled. */
static bool prepare(struct chooser *c)
{
  const struct coro_crossing *crossing = &c->low->crossing;
  uint32_t values = ir_value_count(c->fn);
  c->chains = CORO_NEW_ARRAY(c->arena, unsigned char, (size_t)c->fn->inst_count * c->most);
  c->depth = CORO_NEW_ARRAY(c->arena, unsigned char, values);
  c->answer = CORO_NEW_ARRAY(c->arena, unsigned char, c->fn->inst_count);
  c->remat->use = CORO_NEW_ARRAY(c->arena, uint32_t, values);
  if (coro_arena_failed(c->arena) || !coro_bits_init(&c->remat->again, c->arena, values) ||
      !coro_bits_init(&c->remat->kept, c->arena, values))
    return false;
  coro_bits_union(&c->remat->kept, &crossing->crosses);
  memcpy(c->remat->use, crossing->use, values * sizeof *crossing->use);
  return true;
}

coro_status coro_remat(struct coro_lowering *low)
{
  struct chooser c = {.low = low, .arena = low->arena, .remat = &low->remat, .fn = &low->fn, .shape = &low->shape};
  c.most = low->abi->policies.rematerialise ? REMAT_DEPTH_BY_POLICY : REMAT_DEPTH;
  if (!prepare(&c))
    return CORO_ENOMEM;
  for (uint32_t i = 0; i < low->cfg.rpo.count; i++) { /* definitions precede uses */
    const struct cfg_node *node = &low->cfg.nodes[low->cfg.rpo.order[i]];
    for (uint32_t inst = node->first; inst < node->last; inst++)
      choose(&c, inst);
  }
  if (!low->abi->policies.rematerialise && !low->abi->policies.keep && !keep_roots(&c))
    return CORO_ENOMEM;
  ask_for_others(&c);
  return c.status;
}
