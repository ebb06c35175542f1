/* coro-annotation-elide: a call marked coro_elide_safe in a coroutine gives the callee a frame inside the caller's own.
   Needs: the callee split, with its f.noalloc; the caller not split yet. Leaves: such calls as calls of f.noalloc. */
#include <string.h>

#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"
#include "pass/diagnose.h"
#include "pass/frequency.h"
#include "pass/parts.h"

static const double rarest = 0.55; /* a frame that is rarely used is better not part of every caller's frame */

struct site_elide {
  struct coro_run *run;
  LLVMValueRef callee, noalloc, caller;
  struct parts parts; /* layout of the callee's frame */
  struct frequency frequency;
  bool estimated; /* frequency is the caller's */
  bool presplit; /* the caller is a coroutine still to be split */
  LLVMBuilderRef builder;
  bool changed;
};

/* The llvm.coro.id of a coroutine that was split names it last of its parts. A function that merely has the name is
   the program's. */
static LLVMValueRef noalloc_of(struct coro_run *run, LLVMValueRef coroutine)
{
  struct parts parts;
  for (LLVMUseRef use = LLVMGetFirstUse(coroutine); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (parts_of_id(run, user, &parts) && parts.coroutine == coroutine && parts.noalloc)
      return LLVMIsAFunction(parts.noalloc);
  }
  return NULL;
}

/* f.noalloc takes what f takes and, last, the address of the frame. */
static bool find_noalloc(struct site_elide *e)
{
  e->noalloc = noalloc_of(e->run, e->callee);
  if (!e->noalloc)
    return false;
  LLVMTypeRef type = LLVMGlobalGetValueType(e->callee), other = LLVMGlobalGetValueType(e->noalloc);
  unsigned count = LLVMCountParams(e->callee);
  if (LLVMIsFunctionVarArg(type) || LLVMIsFunctionVarArg(other) || LLVMCountParams(e->noalloc) != count + 1 ||
      LLVMGetReturnType(type) != LLVMGetReturnType(other) ||
      LLVMTypeOf(LLVMGetParam(e->noalloc, count)) != LLVMPointerTypeInContext(e->run->context, 0))
    return false;
  for (unsigned i = 0; i < count; i++)
    if (LLVMTypeOf(LLVMGetParam(e->callee, i)) != LLVMTypeOf(LLVMGetParam(e->noalloc, i)))
      return false;
  parts_layout(e->noalloc, count, &e->parts.frame_size, &e->parts.frame_align);
  return true;
}

static bool callers(struct site_elide *e, pass_values *functions)
{
  struct coro_map found;
  coro_map_init(&found, e->run->arena);
  for (LLVMUseRef use = LLVMGetFirstUse(e->callee); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (edit_is_call(user) && LLVMGetCalledValue(user) == e->callee &&
        !coro_map_put(&found, (uint64_t)(uintptr_t)LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)), 1))
      return false;
  }
  uint64_t known;
  for (LLVMValueRef f = LLVMGetFirstFunction(e->run->module); f && found.count; f = LLVMGetNextFunction(f))
    if (coro_map_get(&found, (uint64_t)(uintptr_t)f, &known) && !coro_vec_push(e->run->arena, functions, f))
      return false;
  return true;
}

static bool calls_in(struct site_elide *e, pass_values *calls)
{
  calls->count = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(e->caller); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
      if (edit_is_call(at) && LLVMGetCalledValue(at) == e->callee && !coro_vec_push(e->run->arena, calls, at))
        return false;
  return true;
}

static void copy_call(struct site_elide *e, LLVMValueRef from, LLVMValueRef to)
{
  size_t length, metadata;
  edit_call_copy_attributes(e->run->arena, from, to, "coro_elide_safe"); /* the mark has been heeded */
  LLVMSetInstructionCallConv(to, LLVMGetInstructionCallConv(from));
  LLVMInstructionSetDebugLoc(to, LLVMInstructionGetDebugLoc(from));
  LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(from, &metadata);
  for (unsigned i = 0; i < metadata; i++)
    LLVMSetMetadata(to, LLVMValueMetadataEntriesGetKind(entries, i),
                    LLVMMetadataAsValue(e->run->context, LLVMValueMetadataEntriesGetMetadata(entries, i)));
  LLVMDisposeValueMetadataEntries(entries);
  const char *name = LLVMGetValueName2(from, &length);
  const char *own = coro_arena_strndup(e->run->arena, name, length);
  edit_replace(from, to);
  if (own && length)
    LLVMSetValueName2(to, own, length);
}

static coro_status rewrite(struct site_elide *e, LLVMValueRef call)
{
  unsigned count = LLVMGetNumArgOperands(call), bundles = LLVMGetNumOperandBundles(call);
  LLVMValueRef *arguments = CORO_NEW_ARRAY(e->run->arena, LLVMValueRef, count + 1);
  LLVMOperandBundleRef *bundle = CORO_NEW_ARRAY(e->run->arena, LLVMOperandBundleRef, bundles + 1);
  const char *name = coro_arena_printf(e->run->arena, "%s.frame", pass_name_of(e->callee));
  if (!arguments || !bundle || !name)
    return CORO_ENOMEM;
  for (unsigned i = 0; i < count; i++)
    arguments[i] = LLVMGetOperand(call, i);
  arguments[count] = parts_build_frame(e->run, &e->parts, e->caller, name);
  for (unsigned i = 0; i < bundles; i++)
    bundle[i] = LLVMGetOperandBundleAtIndex(call, i);
  edit_before(e->builder, call);
  LLVMTypeRef type = LLVMGlobalGetValueType(e->noalloc);
  LLVMValueRef own;
  if (LLVMGetInstructionOpcode(call) == LLVMInvoke)
    own = LLVMBuildInvokeWithOperandBundles(e->builder, type, e->noalloc, arguments, count + 1, LLVMGetNormalDest(call),
                                            LLVMGetUnwindDest(call), bundle, bundles, "");
  else
    own = LLVMBuildCallWithOperandBundles(e->builder, type, e->noalloc, arguments, count + 1, bundle, bundles, "");
  for (unsigned i = 0; i < bundles; i++)
    LLVMDisposeOperandBundle(bundle[i]);
  copy_call(e, call, own);
  /* The ramp is little more than the stores of the frame's header; inlined it lets the handle be seen through. */
  if (!edit_call_has_attribute(own, "noinline"))
    edit_call_add_attribute(own, "alwaysinline");
  e->changed = true;
  return coro_arena_failed(e->run->arena) ? CORO_ENOMEM : CORO_OK;
}

/* Why the call keeps allocating; NULL where it need not. */
static const char *refusal(struct site_elide *e, LLVMValueRef call, const char **remark, bool *fine)
{
  *fine = true;
  *remark = "CoroAnnotationElide";
  if (!e->presplit)
    return "the caller is not a coroutine, or has been split already";
  if (!edit_call_has_attribute(call, "coro_elide_safe"))
    return "the call is not marked coro_elide_safe";
  if (LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(e->callee))
    return "it is not called as it is defined";
  if (!e->parts.frame_size)
    return "the size of its frame is not known";
  if (LLVMGetInstructionOpcode(call) == LLVMCall && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
    return "the call must be a tail call";
  if (!e->estimated)
    e->estimated = *fine = frequency_estimate(&e->frequency, e->run, e->caller);
  if (!*fine || frequency_of(&e->frequency, LLVMGetInstructionParent(call)) >= rarest)
    return NULL;
  *remark = "CoroAnnotationElideUnlikely";
  return "the call is rarely made";
}

static coro_status visit_call(struct site_elide *e, LLVMValueRef call)
{
  bool fine;
  const char *remark, *refused = refusal(e, call, &remark, &fine);
  const char *callee = pass_name_of(e->callee), *caller = pass_name_of(e->caller);
  const char *message =
      refused ? coro_arena_printf(e->run->arena, "'%s' not elided in '%s': %s", callee, caller, refused)
              : coro_arena_printf(e->run->arena, "'%s' elided in '%s' (frame_size=%llu, align=%llu)", callee, caller,
                                  (unsigned long long)e->parts.frame_size, (unsigned long long)e->parts.frame_align);
  if (!fine || !pass_remark(e->run, "coro-annotation-elide", remark, e->caller, !refused, message))
    return CORO_ENOMEM;
  return refused ? CORO_OK : rewrite(e, call);
}

static coro_status visit_caller(struct site_elide *e, LLVMValueRef caller)
{
  pass_values calls = {0};
  e->caller = caller;
  e->estimated = false;
  e->presplit = edit_has_attribute(caller, (unsigned)LLVMAttributeFunctionIndex, "presplitcoroutine");
  if (!calls_in(e, &calls))
    return CORO_ENOMEM;
  coro_status status = CORO_OK;
  for (uint32_t i = 0; i < calls.count && !status; i++)
    status = visit_call(e, calls.items[i]);
  return status;
}

coro_status coro_pass_annotation_elide(struct coro_run *run, LLVMValueRef function, bool *changed)
{
  struct site_elide e = {.run = run, .callee = function};
  pass_values functions = {0};
  if (!find_noalloc(&e))
    return coro_arena_failed(run->arena) ? CORO_ENOMEM : CORO_OK;
  if (!callers(&e, &functions))
    return CORO_ENOMEM;
  e.builder = LLVMCreateBuilderInContext(run->context);
  coro_status status = CORO_OK;
  for (uint32_t i = 0; i < functions.count && !status; i++)
    status = visit_caller(&e, functions.items[i]);
  LLVMDisposeBuilder(e.builder);
  *changed |= e.changed;
  return status;
}
