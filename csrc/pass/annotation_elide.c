/* coro-annotation-elide: a call marked coro_elide_safe in a coroutine gives the callee a frame inside the caller's own.
   Needs: the callee split, with its f.noalloc; the caller not split yet. Leaves: such calls as calls of f.noalloc. */
#include <stdlib.h>

#include "ir/edit.h"
#include "llvm-c/DebugInfo.h"
#include "pass/calls.h"
#include "pass/decision.h"
#include "pass/diagnose.h"

struct site {
  LLVMValueRef call, caller;
  bool presplit; /* the caller is a coroutine still to be split */
  uint64_t place; /* in program order, where it is marked and the caller presplit; all others come first */
  bool rare;
  uint32_t use; /* the greater, the earlier it was made */
};

struct site_elide {
  struct pass_run *run;
  LLVMValueRef callee, noalloc;
  struct parts parts; /* layout of the callee's frame */
  LLVMBuilderRef builder;
  bool changed;
};

/* The llvm.coro.id of a coroutine that was split names it last of its parts. A function that merely has the name is
   the program's. */
static LLVMValueRef noalloc_of(struct pass_run *run, LLVMValueRef coroutine)
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

static int compare_sites(const void *a, const void *b)
{
  const struct site *x = a, *y = b;
  return x->place != y->place ? (x->place > y->place) - (x->place < y->place) : (x->use < y->use) - (x->use > y->use);
}

/* The calls of the callee, by its uses: nothing else is looked through. */
static bool find_sites(struct site_elide *e, struct site **sites, uint32_t *count)
{
  CORO_VEC(struct site) found = {0};
  for (LLVMUseRef use = LLVMGetFirstUse(e->callee); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!edit_is_call(user) || LLVMGetCalledValue(user) != e->callee)
      continue;
    LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
    bool presplit = edit_is_presplit(caller);
    uint64_t known = 0;
    if (presplit) /* what was split since may have put others in the place of calls that are gone */
      coro_map_get(&e->run->marked, coro_map_key(user), &known);
    struct site site = {user, caller, presplit, known / 2, known % 2, found.count};
    if (!coro_vec_push(e->run->arena, &found, site))
      return false;
  }
  if (found.count)
    qsort(found.items, found.count, sizeof *found.items, compare_sites);
  *sites = found.items;
  *count = found.count;
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

static coro_status rewrite(struct site_elide *e, const struct site *site)
{
  LLVMValueRef call = site->call;
  unsigned count = LLVMGetNumArgOperands(call), bundles = LLVMGetNumOperandBundles(call);
  LLVMValueRef *arguments = CORO_NEW_ARRAY(e->run->arena, LLVMValueRef, count + 1);
  LLVMOperandBundleRef *bundle = CORO_NEW_ARRAY(e->run->arena, LLVMOperandBundleRef, bundles + 1);
  const char *name = coro_arena_printf(e->run->arena, "%s.frame", pass_name_of(e->callee));
  if (!arguments || !bundle || !name)
    return CORO_ENOMEM;
  for (unsigned i = 0; i < count; i++)
    arguments[i] = LLVMGetOperand(call, i);
  arguments[count] = parts_build_frame(e->run, &e->parts, site->caller, name);
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
static const char *refusal(const struct site_elide *e, const struct site *site, const char **remark)
{
  *remark = "CoroAnnotationElide";
  if (!site->presplit)
    return "the caller is not a coroutine, or has been split already";
  if (!edit_call_has_attribute(site->call, "coro_elide_safe"))
    return "the call is not marked coro_elide_safe";
  if (LLVMGetCalledFunctionType(site->call) != LLVMGlobalGetValueType(e->callee))
    return "it is not called as it is defined";
  if (!e->parts.frame_size)
    return "the size of its frame is not known";
  if (LLVMGetInstructionOpcode(site->call) == LLVMCall && LLVMGetTailCallKind(site->call) == LLVMTailCallKindMustTail)
    return "the call must be a tail call";
  if (!site->rare)
    return NULL;
  *remark = "CoroAnnotationElideUnlikely";
  return "the call is rarely made";
}

static coro_status visit(struct site_elide *e, const struct site *site)
{
  const char *remark, *refused = refusal(e, site, &remark);
  struct decision decision = {.pass = "coro-annotation-elide",
                              .name = remark,
                              .caller = site->caller,
                              .parts = &e->parts,
                              .at = site->call,
                              .reason = refused ? refused : "the call is marked coro_elide_safe",
                              .done = !refused};
  bool asked = edit_call_has_attribute(site->call, "coro_elide_safe");
  if (!(asked ? decision_tell(e->run, &decision) : decision_remark(e->run, &decision)))
    return CORO_ENOMEM;
  return refused ? CORO_OK : rewrite(e, site);
}

coro_status coro_pass_annotation_elide(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  struct site_elide e = {.run = run, .callee = function, .parts.coroutine = function};
  struct site *sites;
  uint32_t count;
  if (!find_noalloc(&e))
    return coro_arena_failed(run->arena) ? CORO_ENOMEM : CORO_OK;
  if (!find_sites(&e, &sites, &count))
    return CORO_ENOMEM;
  e.builder = LLVMCreateBuilderInContext(run->context);
  coro_status status = CORO_OK;
  for (uint32_t i = 0; i < count && !status; i++)
    status = visit(&e, &sites[i]);
  LLVMDisposeBuilder(e.builder);
  *changed |= e.changed;
  return status;
}
