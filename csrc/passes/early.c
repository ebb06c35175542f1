/* coro-early: lowers intrinsics that need no knowledge of the coroutine, and prepares coroutines for the passes before
   coro-split.
   Requires: a verified module.
   Guarantees: no coro.resume, destroy, done or noop; coro.promise only for the coroutine's own promise; every coroutine
   is marked presplitcoroutine. Idempotent. */
#include "base/align.h"
#include "emit/noop.h"
#include "handles/imported_coroutines.h"
#include "ir/edit.h"
#include "ir/unsplit_coroutine.h"
#include "llvm-c/DebugInfo.h"
#include "passes/destroy_edge.h"
#include "passes/sink_frees.h"
#include "run/diagnose.h"
#include "run/intrinsic_calls.h"
#include "run/passes.h"
#include "transform/nounwind_invokes.h"
#include "transform/prune.h"
#include "transform/tailcall.h"

struct early {
  struct pass_run *run;
  LLVMBuilderRef builder;
  LLVMValueRef function;
  pass_values all; /* the function's coroutine intrinsics, in program order */
  pass_values calls[INTRIN_COUNT]; /* the same, by intrinsic */
  intrin_set called; /* the intrinsics of which there are calls */
  LLVMValueRef id; /* the function's own coro.id (its info is null), or NULL */
  LLVMValueRef begin; /* its coro.begin, or NULL */
  LLVMValueRef promise; /* its promise alloca, or NULL */
  bool changed;
};

typedef coro_status lower(struct early *e, LLVMValueRef call);

static LLVMValueRef build_subfn_addr(struct early *e, LLVMValueRef handle, unsigned index)
{
  LLVMValueRef callee = intrin_declare(e->run->intrin, e->run->module, INTRIN_SUBFN_ADDR, NULL, 0);
  LLVMValueRef arguments[2] = {handle, LLVMConstInt(LLVMInt8TypeInContext(e->run->context), index, false)};
  return edit_build_call(e->builder, callee, arguments, 2, "");
}

/* Replaces callee and calling convention; attributes, bundles, metadata and invoke edges are unchanged. */
static coro_status lower_to_subfn_call(struct early *e, LLVMValueRef call, unsigned index)
{
  bool must = tailcall_is_musttail(call);
  if (must && LLVMGetFunctionCallConv(e->function) != LLVMFastCallConv)
    return pass_reject_instruction(
        e->run, "musttail-of-clone", e->function, call,
        "the clones of a coroutine have calling convention fastcc, so a musttail call of one is valid "
        "in a fastcc function only",
        "use `tail call`, or give the function calling convention fastcc");
  edit_position_builder_with_location(e->builder, call);
  LLVMValueRef address = build_subfn_addr(e, LLVMGetOperand(call, RESUME_HANDLE), index);
  edit_set_called_function(call, address);
  LLVMSetInstructionCallConv(call, LLVMFastCallConv);
  return CORO_OK;
}

static coro_status lower_coro_resume(struct early *e, LLVMValueRef call)
{
  return lower_to_subfn_call(e, call, 0);
}

static coro_status lower_coro_destroy(struct early *e, LLVMValueRef call)
{
  return lower_to_subfn_call(e, call, 1);
}

/* A coroutine is done if the resume slot, the first in its frame, is null. */
static coro_status lower_coro_done(struct early *e, LLVMValueRef call)
{
  edit_position_builder_with_location(e->builder, call);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(e->run->context, 0);
  LLVMValueRef slot = LLVMBuildLoad2(e->builder, pointer, LLVMGetOperand(call, RESUME_HANDLE), "");
  edit_replace_and_erase(call, LLVMBuildICmp(e->builder, LLVMIntEQ, slot, LLVMConstNull(pointer), ""));
  return CORO_OK;
}

static coro_status lower_coro_noop(struct early *e, LLVMValueRef call)
{
  LLVMValueRef frame = noop_frame_find_or_create(e->run->module, e->run->arena);
  if (!frame)
    return CORO_ENOMEM;
  edit_replace_and_erase(call, edit_cast_to_default_pointer(frame));
  return CORO_OK;
}

/* The promise follows the two pointers of the header, aligned. */
static coro_status lower_coro_promise(struct early *e, LLVMValueRef call)
{
  uint64_t align, from;
  if (!edit_read_integer_constant(LLVMGetOperand(call, PROMISE_ALIGN), &align) ||
      !edit_read_integer_constant(LLVMGetOperand(call, PROMISE_FROM), &from))
    return pass_reject_instruction(e->run, "promise-constant", e->function, call,
                                   "coro.promise is called with an alignment or direction that is not a constant",
                                   "pass the alignment as a constant i32 and the direction as a constant i1");
  align = align ? align : 1;
  if (align & (align - 1))
    return pass_reject_instruction(e->run, "promise-align", e->function, call,
                                   "the alignment that coro.promise is called with is not a power of two",
                                   "pass the alignment of the promise, as the coroutine's coro.id does");
  if (!from && e->promise && edit_strip_casts_and_zero_geps(LLVMGetOperand(call, PROMISE_HANDLE)) == e->begin)
    return CORO_OK; /* its own promise is lowered by coro-split */
  edit_position_builder_with_location(e->builder, call);
  LLVMTypeRef byte = LLVMInt8TypeInContext(e->run->context), index = LLVMInt32TypeInContext(e->run->context);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(e->run->context, 0);
  uint64_t offset = coro_align_to(2 * LLVMABISizeOfType(e->run->layout, pointer), align);
  LLVMValueRef distance = LLVMConstInt(index, from ? 0 - offset : offset, true);
  edit_replace_and_erase(
      call, LLVMBuildInBoundsGEP2(e->builder, byte, LLVMGetOperand(call, PROMISE_HANDLE), &distance, 1, ""));
  e->changed = true;
  return CORO_OK;
}

static coro_status lower_calls_of_intrinsics(struct early *e)
{
  static const struct {
    enum intrin intrin;
    lower *lower;
    bool always; /* changes the function whenever it has such a call */
  } table[] = {
      {INTRIN_RESUME, lower_coro_resume, true},    {INTRIN_DESTROY, lower_coro_destroy, true},
      {INTRIN_DONE, lower_coro_done, true},        {INTRIN_NOOP, lower_coro_noop, true},
      {INTRIN_PROMISE, lower_coro_promise, false},
  };
  for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
    pass_values *calls = &e->calls[table[t].intrin];
    e->changed |= table[t].always && calls->count;
    for (uint32_t i = 0; i < calls->count; i++) {
      coro_status status = table[t].lower(e, calls->items[i]);
      if (status)
        return status;
    }
  }
  return CORO_OK;
}

static void mark_noduplicate(struct early *e, LLVMValueRef call)
{
  if (edit_has_function_attribute(call, "noduplicate"))
    return;
  edit_add_function_attribute(call, "noduplicate");
  e->changed = true;
}

/* Marks unique intrinsics noduplicate until coro-split. */
static void mark_unique_intrinsics_noduplicate(struct early *e)
{
  static const struct {
    enum intrin intrin;
    unsigned operand;
    uint64_t single; /* argument value of the unique variant */
  } flags[] = {{INTRIN_SUSPEND, SUSPEND_FINAL, 1}, {INTRIN_END, END_UNWINDS, 0}, {INTRIN_END_ASYNC, END_UNWINDS, 0}};
  for (size_t t = 0; t < sizeof flags / sizeof *flags; t++)
    for (uint32_t i = 0; i < e->calls[flags[t].intrin].count; i++) {
      LLVMValueRef call = e->calls[flags[t].intrin].items[i];
      uint64_t flag;
      if (edit_read_integer_constant(LLVMGetOperand(call, flags[t].operand), &flag) && flag == flags[t].single)
        mark_noduplicate(e, call);
    }
  if (e->begin)
    mark_noduplicate(e, e->begin);
}

static bool is_unsplit_id(LLVMValueRef id)
{
  LLVMValueRef info = edit_strip_casts_and_zero_geps(LLVMGetOperand(id, ID_PARTS));
  return LLVMIsConstant(info) && LLVMIsNull(info);
}

static void find_own_intrinsics(struct early *e)
{
  pass_values *ids = &e->calls[INTRIN_ID];
  for (uint32_t i = 0; i < ids->count && !e->id; i++)
    if (is_unsplit_id(ids->items[i]))
      e->id = ids->items[i];
  for (enum intrin kind = INTRIN_BEGIN; kind <= INTRIN_BEGIN_CUSTOM_ABI && e->id; kind++)
    for (uint32_t i = 0; i < e->calls[kind].count && !e->begin; i++)
      if (LLVMGetOperand(e->calls[kind].items[i], BEGIN_ID) == e->id)
        e->begin = e->calls[kind].items[i];
  LLVMValueRef promise = e->id && e->begin ? edit_strip_casts_and_zero_geps(LLVMGetOperand(e->id, ID_PROMISE)) : NULL;
  if (promise && edit_is_instruction(promise) && LLVMGetInstructionOpcode(promise) == LLVMAlloca &&
      LLVMTypeOf(promise) == LLVMTypeOf(e->begin) && /* in address space 0, as the frame is */
      edit_alignment(promise) <= EDIT_MAX_ALIGN)    /* otherwise coro-split rejects it */
    e->promise = promise;
}

/* Whether the function is a switched-resume coroutine that coro-split has not visited. */
static bool is_unsplit_switch_coroutine(const struct early *e)
{
  return e->id && (e->begin || e->calls[INTRIN_SUSPEND].count);
}

/* Frontends for this LLVM mark switched-resume coroutines themselves. Those of later versions may rely on coro-early,
   as all frontends do for the other ABIs. */
static void mark_presplit_if_unsplit_coroutine(struct early *e)
{
  if (edit_is_presplit_definition(e->function) ||
      !(is_unsplit_switch_coroutine(e) || are_calls_of_non_switch_coroutine(e->called)))
    return;
  edit_add_function_attribute(e->function, "presplitcoroutine");
  e->changed = true;
}

/* Hides the ramp of a returned-continuation coroutine by llvm.coro.prepare: its suspends end in unreachable, so
   optimizers would infer that calls do not return. */
static coro_status call_ramp_through_prepare(struct early *e)
{
  bool async = e->calls[INTRIN_ID_ASYNC].count;
  pass_values calls = {0};
  if (!edit_is_presplit_definition(e->function) || edit_cast_to_default_pointer(e->function) != e->function ||
      (!async && !has_retcon_id(e->called)))
    return CORO_OK;
  for (LLVMUseRef use = LLVMGetFirstUse(e->function); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (edit_is_call_of(user, e->function) && !coro_vec_push(e->run->arena, &calls, user))
      return CORO_ENOMEM;
  }
  enum intrin prepare = async ? INTRIN_PREPARE_ASYNC : INTRIN_PREPARE_RETCON;
  for (uint32_t i = 0; i < calls.count; i++) {
    LLVMValueRef callee = intrin_declare(e->run->intrin, e->run->module, prepare, NULL, 0);
    if (!pass_mark_modified(e->run, edit_function_of(calls.items[i])))
      return CORO_ENOMEM;
    edit_position_builder_with_location(e->builder, calls.items[i]);
    edit_set_called_function(calls.items[i], edit_build_call(e->builder, callee, &e->function, 1, ""));
    e->changed = true;
  }
  return CORO_OK;
}

static void set_operand_if_different(struct early *e, LLVMValueRef call, unsigned index, LLVMValueRef value)
{
  if (LLVMGetOperand(call, index) == value)
    return;
  LLVMSetOperand(call, index, value);
  e->changed = true;
}

/* Removes noalias from arguments: code that resumes the coroutine may modify their memory between any two of its
   instructions. */
static void drop_noalias_of_parameters(struct early *e)
{
  unsigned count = LLVMCountParams(e->function);
  for (unsigned index = 1; index <= count; index++)
    if (edit_has_attribute(e->function, index, "noalias")) {
      edit_remove_attribute(e->function, index, "noalias");
      e->changed = true;
    }
}

/* An instruction, and the code that control reaches from the entry without executing it: blocks, and the
   instructions of its own block up to it. Code outside of that set is dominated by it, or unreachable. */
struct anchor {
  LLVMValueRef at;
  struct coro_map before;
};

static bool is_edge_from_other_block(const void *block, LLVMValueRef terminator, unsigned successor)
{
  (void)successor;
  return LLVMGetInstructionParent(terminator) != block;
}

static bool find_code_reachable_without_anchor(struct early *e, struct anchor *anchor, LLVMValueRef at)
{
  anchor->at = at;
  coro_map_init(&anchor->before, e->run->arena);
  if (!prune_find_reachable(e->run->arena, e->function, is_edge_from_other_block, LLVMGetInstructionParent(at),
                            &anchor->before))
    return false;
  for (; at; at = LLVMGetPreviousInstruction(at))
    if (!coro_map_put(&anchor->before, coro_map_key(at), 1))
      return false;
  return true;
}

static bool anchor_dominates_use(const struct anchor *anchor, LLVMValueRef user, unsigned operand)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(user), own = LLVMGetInstructionParent(anchor->at);
  if (LLVMGetInstructionOpcode(user) == LLVMPHI) {
    block = LLVMGetIncomingBlock(user, operand); /* read at the end of that block */
    return block == own || !coro_map_has(&anchor->before, coro_map_key(block));
  }
  return !coro_map_has(&anchor->before, (uint64_t)(uintptr_t)(block == own ? (void *)user : (void *)block));
}

static bool is_lifetime_marker(struct early *e, LLVMValueRef user)
{
  return intrin_is_lifetime(intrin_of_call(e->run->intrin, user));
}

static LLVMValueRef build_promise_address(struct early *e)
{
  LLVMValueRef callee = intrin_declare(e->run->intrin, e->run->module, INTRIN_PROMISE, NULL, 0);
  LLVMValueRef arguments[3] = {
      e->begin, LLVMConstInt(LLVMInt32TypeInContext(e->run->context), LLVMGetAlignment(e->promise), false),
      edit_bool_constant(e->run->context, false)};
  LLVMPositionBuilderBeforeInstrAndDbgRecords(e->builder, LLVMGetNextInstruction(e->begin));
  LLVMSetCurrentDebugLocation2(e->builder, LLVMInstructionGetDebugLoc(e->begin));
  LLVMValueRef call = edit_build_call(e->builder, callee, arguments, 3, "promise.addr");
  edit_add_function_attribute(call, "noduplicate");
  return call;
}

/* Replaces the promise alloca by its address relative to the handle after coro.begin. The promise is live across
   suspends and accessed through handles, so optimizers would otherwise delete stores to the alloca. */
static coro_status replace_promise_alloca_by_address(struct early *e)
{
  struct anchor begin;
  pass_values users = {0};
  if (!find_code_reachable_without_anchor(e, &begin, e->begin))
    return CORO_ENOMEM;
  for (LLVMUseRef use = LLVMGetFirstUse(e->promise); use; use = LLVMGetNextUse(use))
    if (LLVMGetUser(use) != e->id && !coro_vec_push(e->run->arena, &users, LLVMGetUser(use)))
      return CORO_ENOMEM;
  LLVMValueRef address = NULL;
  for (uint32_t i = 0; i < users.count; i++) {
    LLVMValueRef user = users.items[i];
    unsigned count = (unsigned)LLVMGetNumOperands(user);
    bool lifetime = is_lifetime_marker(e, user); /* lifetime markers require allocas */
    for (unsigned o = 0; o < count && !lifetime; o++)
      if (LLVMGetOperand(user, o) == e->promise && anchor_dominates_use(&begin, user, o)) {
        address = address ? address : build_promise_address(e);
        LLVMSetOperand(user, o, address);
      }
    if (lifetime)
      LLVMInstructionEraseFromParent(user);
    e->changed |= lifetime || address;
  }
  return CORO_OK;
}

/* Replaces `token none` in llvm.coro.free by the id: such a call frees the frame of the coroutine that it is in. A call
   that llvm.coro.id does not dominate keeps its token: there is no frame yet. */
static bool set_id_operand_of_frees(struct early *e)
{
  const pass_values *frees = &e->calls[INTRIN_FREE];
  struct anchor id = {0};
  for (uint32_t i = 0; e->id && i < frees->count; i++) {
    if (intrin_of_call(e->run->intrin, LLVMGetOperand(frees->items[i], FREE_ID)) != INTRIN_NONE)
      continue;
    if (!id.at && !find_code_reachable_without_anchor(e, &id, e->id))
      return false;
    if (anchor_dominates_use(&id, frees->items[i], FREE_ID))
      set_operand_if_different(e, frees->items[i], FREE_ID, e->id);
  }
  return true;
}

/* Without a suspend or an end, the id is the only sign of a coroutine with the caller's frame. */
static coro_status reject_dynamic_id_without_end(const struct early *e)
{
  const pass_values *ids = &e->calls[INTRIN_ID_RETCON_DYNAMIC];
  if (!ids->count || edit_is_presplit_definition(e->function))
    return CORO_OK;
  return pass_reject_instruction(e->run, "outside-coroutine", e->function, ids->items[0],
                                 "the function calls neither a suspend nor llvm.coro.end, so it is not a coroutine",
                                 "end its final path with llvm.coro.end and unreachable");
}

static coro_status lower_coroutine_early(struct early *e)
{
  find_own_intrinsics(e);
  mark_presplit_if_unsplit_coroutine(e);
  coro_status status = reject_dynamic_id_without_end(e);
  if (!status)
    status = call_ramp_through_prepare(e);
  if (!status)
    status = lower_calls_of_intrinsics(e);
  if (status)
    return status;
  mark_unique_intrinsics_noduplicate(e);
  if (e->id)
    set_operand_if_different(e, e->id, ID_COROUTINE, edit_cast_to_default_pointer(e->function));
  if (!set_id_operand_of_frees(e))
    return CORO_ENOMEM;
  if (!sink_coro_frees(e->run, e->builder, &e->calls[INTRIN_FREE], &e->changed))
    return CORO_ENOMEM;
  if (e->calls[INTRIN_SUSPEND].count)
    drop_noalias_of_parameters(e);
  if (e->id && !destroy_edges_add(e->run, e->function, e->calls, &e->changed))
    return CORO_ENOMEM;
  return e->promise ? replace_promise_alloca_by_address(e) : CORO_OK;
}

static coro_status run_early_on_function(struct early *e, LLVMValueRef function)
{
  if (!pass_mark_modified(e->run, function))
    return CORO_ENOMEM;
  e->function = function;
  e->id = e->begin = e->promise = NULL;
  for (int i = 0; i < INTRIN_COUNT; i++)
    e->calls[i].count = 0;
  if (edit_is_presplit_definition(function) && !nounwind_invokes_replace(e->run->arena, function, &e->changed))
    return CORO_ENOMEM;
  if (!pass_list_coro_intrinsic_calls(e->run, function, &e->all))
    return CORO_ENOMEM;
  e->called = 0;
  for (uint32_t i = 0; i < e->all.count; i++) {
    enum intrin intrin = intrin_of_call(e->run->intrin, e->all.items[i]);
    e->called |= UINT64_C(1) << intrin;
    if (!coro_vec_push(e->run->arena, &e->calls[intrin], e->all.items[i]))
      return CORO_ENOMEM;
  }
  return lower_coroutine_early(e);
}

/* Elides calls of coroutines exported by other modules; function passes do not visit their ramps. */
static coro_status elide_imported_coroutine_calls(struct pass_run *run, bool *changed)
{
  coro_status status = CORO_OK;
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f && !status; f = LLVMGetNextFunction(f))
    if (is_imported_coroutine(f))
      status = coro_pass_annotation_elide(run, f, changed);
  return status;
}

coro_status coro_pass_early(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  (void)function;
  pass_values functions = {0};
  struct early *e = CORO_NEW(run->arena, struct early);
  if (!e || !pass_list_functions_with_coro_intrinsics(run, &functions))
    return CORO_ENOMEM;
  e->run = run;
  e->builder = LLVMCreateBuilderInContext(run->context);
  coro_status status = CORO_OK;
  for (uint32_t i = 0; i < functions.count && !status; i++)
    status = run_early_on_function(e, functions.items[i]);
  LLVMDisposeBuilder(e->builder);
  *changed |= e->changed;
  return status ? status : elide_imported_coroutine_calls(run, changed);
}
