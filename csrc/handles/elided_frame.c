/* Elided frames: their allocas and metadata. The sum of a function's frames counts allocas with the metadata, so those
   of inlined functions, too. */
#include "handles/elided_frame.h"

#include "ir/context.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "ir/operand.h"
#include "transform/tailcall.h"

enum {
  HEADER_SLOTS = 2,
  MAX_INLINED = 256, /* instructions of a cleanup function that is inlined so that others can be elided */
  MAX_NESTED = 20 /* instructions of one that is inlined into a coroutine although it destroys a coroutine itself */
};

/* Attaches the functions in the frame's header: f.resume and f.cleanup. The node is empty if another module defines
   the coroutine and does not export f.cleanup. */
static void attach_resume_and_cleanup_metadata(struct pass_run *run, const struct clones *clones, LLVMValueRef frame)
{
  LLVMValueRef resume = clones->address[CLONE_SLOT_RESUME], cleanup = clones->address[CLONE_SLOT_CLEANUP];
  bool known = !clones->imported && resume && cleanup;
  LLVMMetadataRef named[HEADER_SLOTS] = {0};
  if (known) {
    named[CLONE_SLOT_RESUME] = LLVMValueAsMetadata(resume);
    named[CLONE_SLOT_DESTROY] = LLVMValueAsMetadata(cleanup);
  }
  LLVMMetadataRef node = LLVMMDNodeInContext2(run->context, named, known ? HEADER_SLOTS : 0);
  LLVMSetMetadata(frame, ir_elided_metadata_kind_id(run->context), LLVMMetadataAsValue(run->context, node));
}

/* The first elided frame of the block from `at` on, which may be NULL; NULL: none. */
static LLVMValueRef elided_frame_at_or_after_or_null(LLVMValueRef at, unsigned kind)
{
  while (at && (LLVMGetInstructionOpcode(at) != LLVMAlloca || !LLVMGetMetadata(at, kind)))
    at = LLVMGetNextInstruction(at);
  return at;
}

/* NULL: none. LLVM's passes keep static allocas in the entry block. */
static LLVMValueRef first_elided_frame_or_null(LLVMValueRef function, unsigned kind)
{
  return LLVMIsDeclaration(function)
             ? NULL
             : elided_frame_at_or_after_or_null(LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)), kind);
}

static LLVMValueRef next_elided_frame_or_null(LLVMValueRef frame, unsigned kind)
{
  return elided_frame_at_or_after_or_null(LLVMGetNextInstruction(frame), kind);
}

/* Frames inlined with their function count as well. */
static uint64_t size_of_elided_frames(struct pass_run *run, LLVMValueRef function)
{
  unsigned kind = ir_elided_metadata_kind_id(run->context);
  uint64_t bytes = 0;
  for (LLVMValueRef frame = first_elided_frame_or_null(function, kind); frame;
       frame = next_elided_frame_or_null(frame, kind))
    bytes += LLVMABISizeOfType(run->layout, LLVMGetAllocatedType(frame));
  return bytes;
}

const char *elided_frame_limit_excess_reason(struct pass_run *run, const struct clones *clones, LLVMValueRef caller)
{
  uint64_t most = run->parameter, before = size_of_elided_frames(run, caller);
  if (before <= most && clones->frame_size <= most - before)
    return NULL;
  const char *reason =
      coro_arena_printf(run->arena,
                        "its frame of %llu bytes and the elided frames of %llu bytes in the caller exceed "
                        "max-frame-bytes=%llu",
                        (unsigned long long)clones->frame_size, (unsigned long long)before, (unsigned long long)most);
  return reason ? reason : ""; /* the arena records the failure */
}

LLVMValueRef elided_frame_build(struct pass_run *run, const struct clones *clones, LLVMValueRef function)
{
  const char *printed = coro_arena_printf(run->arena, "%s.frame", edit_value_name(clones->coroutine));
  const char *name = printed ? printed : ""; /* the arena records the failure */
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(run->context);
  LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
  LLVMPositionBuilderBeforeInstrAndDbgRecords(builder, first);
  LLVMSetCurrentDebugLocation2(builder, NULL);
  LLVMTypeRef bytes = LLVMArrayType2(LLVMInt8TypeInContext(run->context), clones->frame_size);
  LLVMValueRef frame = LLVMBuildAlloca(builder, bytes, name);
  edit_set_alignment(frame, clones->frame_align);
  attach_resume_and_cleanup_metadata(run, clones, frame);
  LLVMValueRef pointer = LLVMBuildAddrSpaceCast(builder, frame, LLVMPointerTypeInContext(run->context, 0), name);
  LLVMDisposeBuilder(builder); /* if allocas are in address space 0, no cast was created: pointer == frame */
  return pointer;
}

static void build_lifetime_marker(struct pass_run *run, enum intrin marker, LLVMValueRef alloca, LLVMValueRef before)
{
  LLVMTypeRef type = LLVMTypeOf(alloca);
  LLVMValueRef callee = intrin_declare(run->intrin, run->module, marker, &type, 1);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(run->context);
  LLVMPositionBuilderBefore(builder, before);
  LLVMSetCurrentDebugLocation2(builder, NULL);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(callee), callee, &alloca, 1, "");
  LLVMDisposeBuilder(builder);
}

void elided_frame_start_lifetime(struct pass_run *run, LLVMValueRef frame, LLVMValueRef creation)
{
  build_lifetime_marker(run, INTRIN_LIFETIME_START, edit_strip_casts_and_zero_geps(frame), creation);
}

static bool read_clones_from_metadata(LLVMValueRef frame, unsigned kind, LLVMValueRef clones[HEADER_SLOTS])
{
  LLVMValueRef node = LLVMGetMetadata(frame, kind);
  if (!node || LLVMGetMDNodeNumOperands(node) != HEADER_SLOTS)
    return false;
  LLVMGetMDNodeOperands(node, clones);
  return true;
}

LLVMValueRef elided_frame_clone_of_subfn_addr_or_null(struct pass_run *run, LLVMValueRef subfn_addr)
{
  LLVMValueRef frame = edit_strip_casts_and_zero_geps(LLVMGetOperand(subfn_addr, SUBFN_HANDLE)), clones[HEADER_SLOTS];
  uint64_t slot;
  if (!LLVMIsAAllocaInst(frame) || !edit_read_integer_constant(LLVMGetOperand(subfn_addr, SUBFN_INDEX), &slot) ||
      slot >= HEADER_SLOTS || !read_clones_from_metadata(frame, ir_elided_metadata_kind_id(run->context), clones))
    return NULL;
  bool callable = clones[slot] && LLVMIsAFunction(edit_strip_casts_and_zero_geps(clones[slot])) &&
                  LLVMTypeOf(clones[slot]) == LLVMTypeOf(subfn_addr);
  return callable ? clones[slot] : NULL;
}

/* Whether a clone resumes or destroys coroutines that are not known. False if it is long. */
static bool is_short_with_subfn_addr(struct pass_run *run, LLVMValueRef clone)
{
  if (LLVMIsDeclaration(clone) || edit_has_more_instructions_than(clone, MAX_INLINED))
    return false;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(clone); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (intrin_of_call(run->intrin, at) == INTRIN_SUBFN_ADDR)
        return true;
  return false;
}

static bool is_call_of_switch_clone(LLVMValueRef inst)
{
  LLVMValueRef callee = edit_is_call(inst) ? LLVMGetCalledValue(inst) : NULL;
  uint64_t size = 0, align;
  if (callee && LLVMIsAFunction(callee) && LLVMGetFunctionCallConv(callee) == LLVMFastCallConv &&
      LLVMCountParams(callee) == CLONE_PARAMETER_FRAME + 1)
    clones_read_frame_size_and_align(callee, CLONE_PARAMETER_FRAME, &size, &align);
  return size;
}

static bool calls_switch_clone(LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (is_call_of_switch_clone(at))
        return true;
  return false;
}

/* The attribute for calls of f.cleanup on an elided frame; NULL: LLVM's inliner decides. */
static const char *inlining_attribute_or_null(struct pass_run *run, LLVMValueRef caller, LLVMValueRef cleanup,
                                              bool any_on_heap)
{
  bool small = edit_has_function_attribute(caller, "minsize");
  if (any_on_heap && !small && is_short_with_subfn_addr(run, cleanup))
    return "alwaysinline";
  bool nested = edit_is_presplit_definition(caller) && !LLVMIsDeclaration(cleanup) &&
                edit_has_more_instructions_than(cleanup, MAX_NESTED) && calls_switch_clone(cleanup);
  return nested ? "noinline" : NULL;
}

static void mark_calls_of_cleanup(struct pass_run *run, LLVMValueRef frame, LLVMValueRef cleanup, bool any_on_heap,
                                  bool *changed)
{
  const char *attribute = NULL;
  bool known = false;
  for (LLVMUseRef use = LLVMGetFirstUse(frame); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use);
    if (!edit_is_call_of(call, cleanup) || edit_has_function_attribute(call, "alwaysinline") ||
        edit_has_function_attribute(call, "noinline"))
      continue;
    attribute = known ? attribute : inlining_attribute_or_null(run, edit_function_of(call), cleanup, any_on_heap);
    known = true;
    if (attribute)
      edit_add_function_attribute(call, attribute);
    *changed |= attribute != NULL;
  }
}

void elided_frames_mark_cleanup_calls(struct pass_run *run, LLVMValueRef function, bool any_on_heap, bool *changed)
{
  LLVMValueRef clones[HEADER_SLOTS];
  unsigned kind = ir_elided_metadata_kind_id(run->context);
  for (LLVMValueRef frame = first_elided_frame_or_null(function, kind); frame;
       frame = next_elided_frame_or_null(frame, kind)) {
    LLVMValueRef cleanup = read_clones_from_metadata(frame, kind, clones) ? clones[CLONE_SLOT_DESTROY] : NULL;
    if (cleanup && LLVMIsAFunction(cleanup))
      mark_calls_of_cleanup(run, frame, cleanup, any_on_heap, changed);
  }
}

/* LLVM's passes may have removed the markers, for example with the creation. */
static bool has_lifetime_start(struct pass_run *run, LLVMValueRef frame)
{
  LLVMUseRef use = LLVMGetFirstUse(frame);
  while (use && intrin_of_call(run->intrin, LLVMGetUser(use)) != INTRIN_LIFETIME_START)
    use = LLVMGetNextUse(use);
  return use;
}

/* Whether the lifetime of the frame ends at one of the markers that begin with `at`. */
static bool ends_at_next_markers(struct pass_run *run, LLVMValueRef frame, LLVMValueRef at)
{
  enum intrin marker = intrin_of_call(run->intrin, at);
  for (; intrin_is_lifetime(marker); marker = intrin_of_call(run->intrin, at = LLVMGetNextInstruction(at)))
    if (marker == INTRIN_LIFETIME_END && LLVMGetOperand(at, LIFETIME_OF) == frame)
      return true;
  return false;
}

/* The instruction after the call, or at the normal destination of an invoke, before which the lifetime ends. NULL: it
   does not end there, or ends already. */
static LLVMValueRef place_of_lifetime_end_or_null(struct pass_run *run, LLVMValueRef frame, LLVMValueRef destroy)
{
  LLVMValueRef place = LLVMGetNextInstruction(destroy);
  if (tailcall_is_musttail(destroy))
    return NULL;
  if (LLVMIsAInvokeInst(destroy) && flow_single_predecessor(LLVMGetNormalDest(destroy)))
    place = edit_first_after_phis(LLVMGetNormalDest(destroy));
  return place && !ends_at_next_markers(run, frame, place) ? place : NULL;
}

void elided_frame_end_lifetime_after_destroy(struct pass_run *run, LLVMValueRef destroy)
{
  LLVMValueRef frame = edit_strip_casts_and_zero_geps(LLVMGetOperand(destroy, CLONE_PARAMETER_FRAME));
  bool elided = LLVMIsAAllocaInst(frame) && LLVMGetMetadata(frame, ir_elided_metadata_kind_id(run->context));
  LLVMValueRef place =
      elided && has_lifetime_start(run, frame) ? place_of_lifetime_end_or_null(run, frame, destroy) : NULL;
  if (place)
    build_lifetime_marker(run, INTRIN_LIFETIME_END, frame, place);
}

void elided_frame_end_lifetime_after_calls_of(struct pass_run *run, LLVMValueRef subfn_addr)
{
  uint64_t slot;
  if (!edit_read_integer_constant(LLVMGetOperand(subfn_addr, SUBFN_INDEX), &slot) || slot != CLONE_SLOT_DESTROY)
    return;
  for (LLVMUseRef use = LLVMGetFirstUse(subfn_addr); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (edit_is_call(user) && LLVMGetCalledValue(user) == subfn_addr)
      elided_frame_end_lifetime_after_destroy(run, user);
  }
}

bool elided_frame_strip_metadata_of_module(struct pass_run *run, bool *changed)
{
  unsigned kind = ir_elided_metadata_kind_id(run->context);
  for (LLVMValueRef f = LLVMGetFirstFunction(run->module); f; f = LLVMGetNextFunction(f)) {
    LLVMValueRef frame = first_elided_frame_or_null(f, kind);
    bool found = frame;
    for (; frame; frame = next_elided_frame_or_null(frame, kind))
      LLVMSetMetadata(frame, kind, NULL);
    if (found && !pass_mark_modified(run, f))
      return false;
    *changed |= found;
  }
  return true;
}
