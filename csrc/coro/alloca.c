/* Variables: which allocas and byval parameters must live in the frame, and which swifterrors it keeps.
   Needs: number, shape, cfg, crossing. Leaves: the function as it was. */
#include <string.h>

#include "coro/content.h"
#include "coro/lowering.h"
#include "coro/pointer.h"
#include "ir/edit.h"
#include "ir/swifterror.h"

struct finder {
  const struct coro_lowering *low;
  struct coro_allocas *allocas;
  struct coro_arena *arena;
  const struct ir_fn *fn;
  const struct coro_shape *shape;
  const struct coro_cfg *cfg;
  const struct coro_crossing *crossing;
  struct coro_bits behind_extra; /* by node: can be reached from an extra landing */
  struct graph_scc scc;
  uint32_t *aliased;  /* by value: stamp of the alloca whose alias it is known to be */
  uint32_t *visited;  /* by node: stamp of the variable whose lifetime walks have seen it */
  uint32_t stamp, walk;
  struct content content;
  coro_insts work;    /* aliases whose uses are still to be looked at */
  coro_insts accesses, starts, ends;
};

/* What the uses of one alloca and of its aliases say. */
struct summary {
  uint32_t epoch;      /* of the accesses so far, IR_NONE before the first */
  uint32_t needed;     /* the use that needs it in the frame, IR_NONE so far */
  uint32_t escape;     /* a use that gives the address away with a suspend ahead, IR_NONE so far */
  const char *why;
  bool escapes;        /* its address is given away somewhere */
  bool before_begin;   /* written or given away before coro.begin */
  bool alias_crosses;  /* an address of it that cannot be made again is needed after a suspend */
};

/* Accesses in the ramp alone are all in one epoch, however control got there. */
static uint32_t epoch_of(const struct finder *f, uint32_t inst)
{
  uint32_t node = f->cfg->node_of_inst[inst];
  return f->cfg->nodes[node].parts & PART_CLONES ? f->crossing->epoch[node] : 0;
}

static bool after_begin(const struct finder *f, uint32_t inst)
{
  return f->shape->begin != IR_NONE && f->shape->begin != inst && cfg_dominates(f->cfg, f->shape->begin, inst);
}

static void need(struct summary *s, uint32_t inst, const char *why)
{
  if (s->needed != IR_NONE)
    return;
  s->needed = inst;
  s->why = why;
}

static void see_access(struct finder *f, struct summary *s, uint32_t inst)
{
  uint32_t epoch = epoch_of(f, inst);
  if (s->epoch == IR_NONE)
    s->epoch = epoch;
  if (s->epoch != epoch)
    need(s, inst, "it is accessed on both sides of a suspend");
  else if (epoch && f->scc.cyclic[f->scc.component[epoch]])
    need(s, inst, "a loop through a suspend comes back to this access");
}

static bool see_alias(struct finder *f, struct summary *s, uint32_t inst)
{
  uint32_t value = ir_value_of_inst(f->fn, inst);
  if (f->aliased[value] == f->stamp)
    return true;
  f->aliased[value] = f->stamp;
  if (coro_bits_get(&f->crossing->crosses, value) && !pointer_is_constant_alias(f->fn->insts[inst])) {
    s->alias_crosses = true;
    need(s, f->crossing->use[value], "an address that may be its own is needed after a suspend");
  }
  return coro_vec_push(f->arena, &f->work, inst);
}

static bool see_use(struct finder *f, struct summary *s, uint32_t inst, LLVMValueRef address)
{
  switch (pointer_use_of(f->fn, f->shape, inst, address)) {
  case POINTER_IGNORED: return true;
  case POINTER_LIFETIME_START: return coro_vec_push(f->arena, &f->starts, inst);
  case POINTER_LIFETIME_END: return coro_vec_push(f->arena, &f->ends, inst);
  case POINTER_ALIAS: return see_alias(f, s, inst);
  case POINTER_READ: see_access(f, s, inst); return coro_vec_push(f->arena, &f->accesses, inst);
  case POINTER_ESCAPES:
    s->escapes = true;
    if (coro_bits_get(&f->allocas->suspends_ahead, f->cfg->node_of_inst[inst]) && s->escape == IR_NONE)
      s->escape = inst;
    break;
  case POINTER_WRITTEN: break;
  }
  s->before_begin |= !after_begin(f, inst);
  see_access(f, s, inst);
  return coro_vec_push(f->arena, &f->accesses, inst);
}

static bool see_uses_of(struct finder *f, struct summary *s, LLVMValueRef address)
{
  for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
    uint32_t user = ir_id(f->fn, LLVMGetUser(use));
    if (user == IR_NONE || user & IR_BLOCK || ir_inst_of_value(f->fn, user) == IR_NONE)
      continue; /* in a block that cannot be reached */
    if (!see_use(f, s, ir_inst_of_value(f->fn, user), address))
      return false;
  }
  return true;
}

static bool see_uses(struct finder *f, struct summary *s, uint32_t value)
{
  f->stamp++;
  f->work.count = f->accesses.count = f->starts.count = f->ends.count = 0;
  if (!see_uses_of(f, s, ir_value(f->fn, value)))
    return false;
  for (uint32_t w = 0; w < f->work.count; w++)
    if (!see_uses_of(f, s, f->fn->insts[f->work.items[w]]))
      return false;
  return true;
}

/* Its lifetime may go on at an extra landing, and nothing that is run from there need it. */
static bool is_accessed_behind_extra(const struct finder *f)
{
  for (uint32_t i = 0; i < f->accesses.count; i++)
    if (coro_bits_get(&f->behind_extra, f->cfg->node_of_inst[f->accesses.items[i]]))
      return true;
  return false;
}

/* Walks forward from the start of a lifetime; true if a landing is reached before the lifetime ends. The walk stops
   there, so that it never leaves the stretch between two suspends, and where one from another start has come by. */
static bool lives_across(struct finder *f, uint32_t start, uint32_t *stack)
{
  uint32_t top = 0, node = f->cfg->node_of_inst[start], first = start + 1;
  for (;;) {
    uint32_t last = f->cfg->nodes[node].last;
    if (f->cfg->nodes[node].landing && (!cfg_is_extra_landing(f->cfg, node) || is_accessed_behind_extra(f)))
      return true;
    if (!coro_insts_any(&f->ends, first, last))
      for (uint32_t e = f->cfg->nodes[node].edge_start; e < f->cfg->nodes[node + 1].edge_start; e++) {
        uint32_t to = f->cfg->edges[e].to;
        if (f->visited[to] == f->walk)
          continue;
        f->visited[to] = f->walk;
        stack[top++] = to;
      }
    if (!top)
      return false;
    node = stack[--top];
    first = f->cfg->nodes[node].first;
  }
}

static void judge_lifetimes(struct finder *f, struct summary *s, uint32_t *stack)
{
  s->needed = s->alias_crosses ? s->needed : IR_NONE;
  coro_insts_sort(&f->starts);
  coro_insts_sort(&f->ends);
  f->walk++;
  for (uint32_t i = 0; i < f->starts.count && s->needed == IR_NONE; i++) {
    uint32_t start = f->starts.items[i];
    if (f->ends.count ? lives_across(f, start, stack)
                      : coro_bits_get(&f->allocas->suspends_ahead, f->cfg->node_of_inst[start]))
      need(s, start, "a suspend falls into its lifetime");
  }
}

static bool is_outside_frame(LLVMValueRef alloca)
{
  return LLVMGetMetadata(alloca, LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(alloca)), "coro.outside.frame",
                                                          18)) != NULL;
}

/* A phi all of whose values are one value. */
static bool chooses_nothing(const struct ir_fn *fn, uint32_t inst)
{
  if (fn->opcode[inst] != LLVMPHI)
    return false;
  for (uint32_t k = 1; k < ir_phi_count(fn, inst); k++)
    if (fn->operands[fn->operand_start[inst] + k] != fn->operands[fn->operand_start[inst]])
      return false;
  return true;
}

/* Addresses made before coro.begin are made again behind it. One that is chosen between several, or put together out
   of them, cannot be: it must not be needed there. */
static void mark_rebuilt(struct finder *f)
{
  for (uint32_t w = 0; w < f->work.count; w++) {
    uint32_t alias = f->work.items[w];
    bool known = f->fn->opcode[alias] == LLVMGetElementPtr || f->fn->opcode[alias] == LLVMPtrToInt ||
                 pointer_is_constant_alias(f->fn->insts[alias]) || chooses_nothing(f->fn, alias);
    if (after_begin(f, alias))
      continue;
    coro_bits_set(&f->allocas->rebuilt, ir_value_of_inst(f->fn, alias));
    for (LLVMUseRef use = LLVMGetFirstUse(f->fn->insts[alias]); use && !known; use = LLVMGetNextUse(use)) {
      uint32_t user = ir_id(f->fn, LLVMGetUser(use));
      if (user == IR_NONE || user & IR_BLOCK)
        continue;
      if (after_begin(f, ir_inst_of_value(f->fn, user)) || f->aliased[user] == f->stamp)
        f->allocas->unknown_alias = alias;
    }
  }
}

static bool keep(struct finder *f, coro_insts *to, const coro_insts *from)
{
  for (uint32_t i = 0; i < from->count; i++)
    if (!coro_vec_push(f->arena, to, from->items[i]))
      return false;
  return true;
}

/* Of a variable that is merely loaded and stored as a whole only the content counts. */
static bool judge_content(struct finder *f, struct coro_alloca *a, struct summary *s)
{
  bool plain = a->is_static && a->is_sized && !a->byval && !s->escapes && !f->work.count;
  if (!plain || !content_is_whole(&f->content, a->value, a->size, &f->accesses))
    return true;
  a->whole = true;
  s->why = "what was stored before a suspend is loaded after it";
  return content_crossing_load(&f->content, &f->accesses, &s->needed);
}

/* Its address is nowhere, so that only accesses count. Where the clones are passed one, that one takes its place. */
static void judge_error(struct finder *f, struct coro_alloca *a, const struct summary *s)
{
  bool passed = a->value < f->fn->arg_count && f->low->passes_error;
  a->use = s->needed;
  a->use_node = s->needed == IR_NONE ? IR_NONE : f->cfg->node_of_inst[s->needed];
  a->why = "no function has another's swifterror, so that the frame keeps its content across suspends";
  a->kept = s->needed != IR_NONE && f->shape->suspend_count > 0 && !passed;
  a->copy_in = a->kept && s->before_begin;
  f->allocas->keeps_error |= a->kept;
}

/* A use is where the instruction that makes the variable does not come before it in every part. */
static bool is_used_apart(const struct finder *f, const struct coro_alloca *a)
{
  const coro_insts *const lists[] = {&f->work, &f->accesses, &f->starts, &f->ends};
  if (a->value < f->fn->arg_count)
    return false;
  uint32_t made = epoch_of(f, ir_inst_of_value(f->fn, a->value));
  for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
    for (uint32_t i = 0; i < lists[l]->count; i++)
      if (epoch_of(f, lists[l]->items[i]) != made)
        return true;
  return false;
}

static bool judge(struct finder *f, struct coro_alloca *a, uint32_t *stack)
{
  /* What a parameter points to is written by the caller, before the ramp's first instruction. */
  bool parameter = a->value < f->fn->arg_count;
  struct summary s = {
      .epoch = parameter ? 0 : IR_NONE, .needed = IR_NONE, .escape = IR_NONE, .why = "", .before_begin = parameter};
  LLVMValueRef value = ir_value(f->fn, a->value);
  if (!see_uses(f, &s, a->value))
    return false;
  a->swifterror = ir_is_swifterror(value);
  if (a->swifterror) {
    judge_error(f, a, &s);
    return true;
  }
  if (f->starts.count)
    judge_lifetimes(f, &s, stack);
  else if (s.escape != IR_NONE)
    need(&s, s.escape, "its address is known outside while the coroutine is suspended");
  a->promise = value == f->shape->promise;
  if (s.needed != IR_NONE && !a->promise && !judge_content(f, a, &s))
    return false;
  a->heap = !a->is_static && f->shape->suspend_count > 0 &&
            (s.needed != IR_NONE || coro_bits_get(&f->crossing->crosses, a->value));
  if (a->heap) {
    a->why = "its size is not known, so that it is on the heap; the frame has the list of what is to be freed with it";
    a->use = s.needed != IR_NONE ? s.needed : f->crossing->use[a->value];
    return true;
  }
  a->in_frame =
      a->promise || (s.needed != IR_NONE && f->shape->suspend_count > 0 && (a->byval || !is_outside_frame(value)));
  a->use = a->promise ? IR_NONE : s.needed;
  a->use_node = a->use == IR_NONE ? IR_NONE : f->cfg->node_of_inst[a->use];
  a->why = a->promise ? "the promise has its place behind the frame's header" : s.why;
  a->copy_in = a->in_frame && s.before_begin;
  a->apart = !a->in_frame && is_used_apart(f, a);
  if (!a->in_frame)
    return true;
  mark_rebuilt(f);
  a->escapes = s.escapes;
  return keep(f, &a->accesses, &f->accesses) && keep(f, &a->starts, &f->starts) && keep(f, &a->ends, &f->ends);
}

/* As many bytes as there are, where there are more. */
static uint64_t times(uint64_t size, LLVMValueRef count)
{
  uint64_t n = edit_constant_or_most(count);
  return size && n > IR_MOST_BYTES / size ? IR_MOST_BYTES : size * n;
}

static void measure_alloca(struct coro_alloca *a, LLVMValueRef inst, struct ir_sizes *sizes)
{
  LLVMValueRef count = LLVMGetOperand(inst, 0);
  a->type = LLVMGetAllocatedType(inst);
  a->align = edit_alignment(inst);
  a->is_sized = ir_size_of(sizes, a->type, &a->size);
  a->is_static = LLVMIsAConstantInt(count) != NULL;
  if (a->is_static)
    a->size = times(a->size, count);
}

static void measure_byval(struct coro_alloca *a, LLVMValueRef function, LLVMTypeRef type, struct ir_sizes *sizes)
{
  a->type = type;
  a->byval = a->is_static = true;
  a->is_sized = ir_size_of(sizes, type, &a->size);
  a->align = edit_attribute_value(function, a->value + 1, "align");
  if (!a->align && a->is_sized)
    a->align = LLVMABIAlignmentOfType(sizes->layout, type);
}

static void measure_error(struct coro_alloca *a, LLVMTypeRef type, struct ir_sizes *sizes)
{
  a->type = type;
  a->is_static = true;
  a->is_sized = ir_size_of(sizes, type, &a->size);
  a->align = LLVMABIAlignmentOfType(sizes->layout, type);
}

static LLVMAttributeRef byval_of(const struct ir_fn *fn, uint32_t argument)
{
  unsigned kind = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
  return LLVMGetEnumAttributeAtIndex(fn->function, argument + 1, kind);
}

static bool prepare(struct finder *f)
{
  uint32_t landings = f->cfg->node_count - f->cfg->fragment_count, extra = f->cfg->extra.landing_count;
  uint32_t *starts = CORO_NEW_ARRAY(f->arena, uint32_t, landings);
  f->aliased = CORO_NEW_ARRAY(f->arena, uint32_t, ir_value_count(f->fn));
  f->visited = CORO_NEW_ARRAY(f->arena, uint32_t, f->cfg->node_count);
  f->allocas->of_value = CORO_NEW_ARRAY(f->arena, uint32_t, ir_value_count(f->fn));
  if (coro_arena_failed(f->arena) || !coro_bits_init(&f->allocas->suspends_ahead, f->arena, f->cfg->node_count) ||
      !coro_bits_init(&f->behind_extra, f->arena, f->cfg->node_count) ||
      !coro_bits_init(&f->allocas->rebuilt, f->arena, ir_value_count(f->fn)))
    return false;
  for (uint32_t k = 0; k < landings; k++)
    starts[k] = f->cfg->fragment_count + k;
  return graph_reach(&f->allocas->suspends_ahead, f->arena, &f->cfg->graph, starts, landings, true) &&
         graph_reach(&f->behind_extra, f->arena, &f->cfg->graph, starts + landings - extra, extra, false) &&
         graph_scc(&f->scc, f->arena, &f->cfg->graph);
}

static bool is_variable(const struct ir_fn *fn, const struct coro_shape *shape, uint32_t value)
{
  if (value < fn->arg_count)
    return shape->byval[value] || shape->error == value;
  return fn->opcode[ir_inst_of_value(fn, value)] == LLVMAlloca;
}

static void measure(struct coro_alloca *a, const struct coro_lowering *low)
{
  const struct ir_fn *fn = &low->fn;
  if (a->value == low->shape.error)
    measure_error(a, LLVMTypeOf(ir_value(fn, a->value)), low->sizes);
  else if (a->value < fn->arg_count)
    measure_byval(a, fn->function, LLVMGetTypeAttributeValue(byval_of(fn, a->value)), low->sizes);
  else
    measure_alloca(a, ir_value(fn, a->value), low->sizes);
}

coro_status coro_variables(struct coro_lowering *low)
{
  struct coro_allocas *allocas = &low->allocas;
  uint32_t values = ir_value_count(&low->fn), n = 0;
  *allocas = (struct coro_allocas){.unknown_alias = IR_NONE};
  struct finder f = {.low = low,
                     .allocas = allocas,
                     .arena = low->arena,
                     .fn = &low->fn,
                     .shape = &low->shape,
                     .cfg = &low->cfg,
                     .crossing = &low->crossing};
  for (uint32_t v = 0; v < values; v++)
    allocas->count += is_variable(&low->fn, &low->shape, v);
  allocas->items = CORO_NEW_ARRAY(low->arena, struct coro_alloca, allocas->count);
  uint32_t *stack = CORO_NEW_ARRAY(low->arena, uint32_t, low->cfg.node_count);
  if (!allocas->items || !stack || !prepare(&f) || !content_init(&f.content, low))
    return CORO_ENOMEM;
  for (uint32_t v = 0; v < values; v++) {
    allocas->of_value[v] = IR_NONE;
    if (!is_variable(&low->fn, &low->shape, v))
      continue;
    struct coro_alloca *a = &allocas->items[n];
    a->value = v;
    measure(a, low);
    if (!judge(&f, a, stack))
      return CORO_ENOMEM;
    allocas->of_value[v] = n++;
  }
  return CORO_OK;
}
