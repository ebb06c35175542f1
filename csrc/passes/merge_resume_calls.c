/* Merges the tails of paths that resume a coroutine: paths to a block that end in the same call of f.resume are
   joined before a single call. */
#include "passes/merge_resume_calls.h"

#include "base/map.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "ir/flow.h"
#include "llvm-c/DebugInfo.h"
#include "run/clones.h"
#include "transform/identical_instruction.h"

struct resume_path {
  LLVMValueRef call;      /* the last instruction on the path: an invoke, or a call followed by a branch */
  LLVMBasicBlockRef from; /* the call's block */
  LLVMBasicBlockRef last; /* the predecessor block: the same, or an empty block after the invoke */
};

enum { MAX_CALLS = 8 }; /* distinct calls on paths to one block */

struct merger {
  struct pass_run *run;
  LLVMBuilderRef builder;
  LLVMBasicBlockRef to, merge_block;
  /* lists of paths to the block: those not yet processed, and those that end in the call that is being merged */
  CORO_VEC(struct resume_path) remaining, paths;
  struct coro_map path_by_block, path_by_pad; /* predecessor block, and exclusive landing pad -> path */
  LLVMValueRef *values; /* indexed by path: incoming value of the current phi */
};

/* ---- Candidates ---- */

static bool must_not_merge_call(LLVMValueRef call, LLVMValueRef callee)
{
  static const char *const names[] = {"convergent", "noduplicate", "nomerge"};
  bool must_not = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    must_not |= edit_has_function_attribute(call, names[i]) || edit_has_function_attribute(callee, names[i]);
  return must_not;
}

/* Whether the call resumes a coroutine with its frame in an alloca: a direct call with the frame as only argument.
   Calls of other clones look the same, and may be merged as well. */
static bool is_mergeable_call_with_alloca_frame(LLVMValueRef call)
{
  LLVMValueRef callee = call && edit_is_call(call) ? LLVMGetCalledValue(call) : NULL;
  return callee && LLVMIsAFunction(callee) && edit_has_local_linkage(callee) && LLVMGetNumArgOperands(call) == 1 &&
         LLVMIsAAllocaInst(LLVMGetOperand(call, CLONE_PARAMETER_FRAME)) &&
         LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind &&
         (LLVMIsAInvokeInst(call) || LLVMGetTailCallKind(call) != LLVMTailCallKindMustTail) &&
         !must_not_merge_call(call, callee);
}

/* The path from the terminator to the block. */
static struct resume_path find_path_to_block(LLVMValueRef end, LLVMBasicBlockRef to)
{
  struct resume_path path = {.from = LLVMGetInstructionParent(end)};
  path.last = path.from;
  if (LLVMIsAInvokeInst(end)) {
    path.call = LLVMGetNormalDest(end) == to ? end : NULL;
    return path;
  }
  if (!flow_is_jump(end))
    return path;
  path.call = LLVMGetPreviousInstruction(end);
  LLVMBasicBlockRef before = path.call ? NULL : flow_single_predecessor(path.from);
  LLVMValueRef invoke = before ? LLVMGetBasicBlockTerminator(before) : NULL;
  if (invoke && LLVMIsAInvokeInst(invoke) && LLVMGetNormalDest(invoke) == path.from) {
    path.call = invoke;
    path.from = before;
  }
  return path;
}

/* The block after an exclusive landing pad of the invoke. */
static LLVMBasicBlockRef block_after_exclusive_pad_or_null(LLVMValueRef invoke)
{
  LLVMBasicBlockRef pad = LLVMGetUnwindDest(invoke);
  LLVMValueRef end = LLVMGetBasicBlockTerminator(pad), lands = LLVMGetPreviousInstruction(end);
  bool plain = flow_is_jump(end) && lands && LLVMIsALandingPadInst(lands) && lands == LLVMGetFirstInstruction(pad);
  return plain && flow_single_predecessor(pad) ? LLVMGetSuccessor(end, 0) : NULL;
}

static bool have_equivalent_pads(LLVMValueRef one, LLVMValueRef other)
{
  LLVMBasicBlockRef pad = LLVMGetUnwindDest(one), others = LLVMGetUnwindDest(other);
  if (pad == others)
    return true;
  LLVMBasicBlockRef to = block_after_exclusive_pad_or_null(one);
  LLVMValueRef lands = LLVMGetFirstInstruction(pad), others_lands = LLVMGetFirstInstruction(others);
  return to && to == block_after_exclusive_pad_or_null(other) && is_equivalent_instruction(NULL, lands, others_lands);
}

static bool are_equivalent_calls(LLVMValueRef one, LLVMValueRef other)
{
  return is_equivalent_instruction(NULL, one, other) && (!LLVMIsAInvokeInst(one) || have_equivalent_pads(one, other));
}

/* Lists the paths to the block that end in a candidate call. */
static bool list_paths_with_calls(struct merger *m, LLVMBasicBlockRef to)
{
  m->to = to;
  m->remaining.count = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(to)); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef end = LLVMGetUser(use);
    struct resume_path path = edit_is_instruction(end) ? find_path_to_block(end, to) : (struct resume_path){0};
    if (is_mergeable_call_with_alloca_frame(path.call) && !coro_vec_push(m->run->arena, &m->remaining, path))
      return false;
  }
  return true;
}

/* Selects the first remaining path, and those with the same call. */
static bool take_paths_with_same_call_as_first(struct merger *m)
{
  LLVMValueRef first = m->remaining.items[0].call;
  uint32_t remaining = 0;
  m->paths.count = 0;
  for (uint32_t w = 0; w < m->remaining.count; w++) {
    struct resume_path path = m->remaining.items[w];
    if (w && !are_equivalent_calls(first, path.call))
      m->remaining.items[remaining++] = path;
    else if (!coro_vec_push(m->run->arena, &m->paths, path))
      return false;
  }
  m->remaining.count = remaining;
  return true;
}

/* ---- Merging ---- */

static LLVMBasicBlockRef unwind_dest_of_path_or_null(const struct resume_path *path)
{
  return LLVMIsAInvokeInst(path->call) ? LLVMGetUnwindDest(path->call) : NULL;
}

/* Whether each path has an exclusive landing pad; otherwise they share one, or have none. */
static bool paths_have_own_landing_pads(const struct merger *m)
{
  LLVMBasicBlockRef pad = unwind_dest_of_path_or_null(&m->paths.items[0]);
  return pad && pad != unwind_dest_of_path_or_null(&m->paths.items[1]);
}

static bool number_paths_by_block(struct merger *m)
{
  struct coro_arena *arena = m->run->arena;
  coro_map_init(&m->path_by_block, arena);
  coro_map_init(&m->path_by_pad, arena);
  m->values = CORO_NEW_ARRAY(arena, LLVMValueRef, m->paths.count);
  bool fine = m->values;
  for (uint32_t w = 0; w < m->paths.count && fine; w++) {
    const struct resume_path *path = &m->paths.items[w];
    fine = coro_map_put(&m->path_by_block, coro_map_key(path->from), w) &&
           coro_map_put(&m->path_by_block, coro_map_key(path->last), w) &&
           (!paths_have_own_landing_pads(m) ||
            coro_map_put(&m->path_by_pad, coro_map_key(unwind_dest_of_path_or_null(path)), w));
  }
  return fine;
}

/* Collects the phi's incoming values for the paths in `path_by_block`, and adds the other entries to `others`, if
   given. */
static void collect_incoming_values_of_paths(struct merger *m, LLVMValueRef phi, const struct coro_map *path_by_block,
                                             LLVMValueRef others)
{
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    LLVMValueRef value = LLVMGetIncomingValue(phi, i);
    uint64_t path = 0;
    if (coro_map_get(path_by_block, coro_map_key(from), &path))
      m->values[path] = value;
    else if (others)
      LLVMAddIncoming(others, &value, &from, 1);
  }
}

/* The number of values that are the exception of their path's landing pad. */
static uint32_t count_exception_values(const struct merger *m)
{
  uint32_t count = 0;
  for (uint32_t w = 0; w < m->paths.count && paths_have_own_landing_pads(m); w++)
    count += m->values[w] == LLVMGetFirstInstruction(unwind_dest_of_path_or_null(&m->paths.items[w]));
  return count;
}

/* Whether the successors of the landing pads use the exceptions identically. */
static bool have_same_uses_of_exceptions(struct merger *m)
{
  LLVMValueRef phi = paths_have_own_landing_pads(m)
                         ? LLVMGetFirstInstruction(block_after_exclusive_pad_or_null(m->paths.items[0].call))
                         : NULL;
  for (; phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
    collect_incoming_values_of_paths(m, phi, &m->path_by_pad, NULL);
    uint32_t count = count_exception_values(m);
    if (count && count != m->paths.count)
      return false;
  }
  return true;
}

/* The merged value of a phi after the merge block. */
static LLVMValueRef build_merged_value(struct merger *m)
{
  bool same = true;
  for (uint32_t w = 1; w < m->paths.count; w++)
    same &= m->values[w] == m->values[0];
  if (same || count_exception_values(m)) /* the first of the pads remains */
    return m->values[0];
  LLVMPositionBuilderAtEnd(m->builder, m->merge_block);
  LLVMSetCurrentDebugLocation2(m->builder, NULL);
  LLVMValueRef meets = LLVMBuildPhi(m->builder, LLVMTypeOf(m->values[0]), "");
  for (uint32_t w = 0; w < m->paths.count; w++)
    LLVMAddIncoming(meets, &m->values[w], &m->paths.items[w].from, 1);
  return meets;
}

/* Replaces the phi entries of the paths in `path_by_block` by one entry for the block `only`. */
static void replace_phi_entries(struct merger *m, LLVMBasicBlockRef in, const struct coro_map *path_by_block,
                                LLVMBasicBlockRef only)
{
  LLVMValueRef next, phi = LLVMGetFirstInstruction(in);
  for (; LLVMIsAPHINode(phi); phi = next) {
    next = LLVMGetNextInstruction(phi);
    LLVMPositionBuilderBefore(m->builder, phi);
    LLVMSetCurrentDebugLocation2(m->builder, LLVMInstructionGetDebugLoc(phi));
    LLVMValueRef fewer = LLVMBuildPhi(m->builder, LLVMTypeOf(phi), "");
    collect_incoming_values_of_paths(m, phi, path_by_block, fewer);
    LLVMValueRef value = build_merged_value(m);
    LLVMAddIncoming(fewer, &value, &only, 1);
    edit_move_value_name(m->run->arena, fewer, phi);
    edit_replace_and_erase(phi, fewer);
  }
}

/* Debug location of the merged call: line 0 if the locations differ. */
static LLVMMetadataRef merged_location(const struct merger *m)
{
  LLVMMetadataRef at = LLVMInstructionGetDebugLoc(m->paths.items[0].call);
  for (uint32_t w = 1; w < m->paths.count; w++)
    if (at && LLVMInstructionGetDebugLoc(m->paths.items[w].call) != at)
      return LLVMDIBuilderCreateDebugLocation(m->run->context, 0, 0, LLVMDILocationGetScope(at),
                                              LLVMDILocationGetInlinedAt(at));
  return at;
}

static void delete_unreachable_block(LLVMBasicBlockRef block)
{
  edit_make_block_unreachable_and_unused(block);
  LLVMDeleteBasicBlock(block);
}

/* Ends the path before its call, with a branch to the merge block. */
static void redirect_path_to_merge_block(struct merger *m, const struct resume_path *path, LLVMBasicBlockRef merged_pad)
{
  LLVMBasicBlockRef pad = unwind_dest_of_path_or_null(path);
  if (pad) {
    edit_position_builder_with_location(m->builder, path->call);
    LLVMBuildBr(m->builder, m->merge_block);
  } else {
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(path->from), 0, m->merge_block);
  }
  LLVMInstructionEraseFromParent(path->call);
  if (path->last != path->from)
    delete_unreachable_block(path->last);
  if (pad != merged_pad)
    delete_unreachable_block(pad);
}

/* Builds the call at the end of the merge block. */
static void build_merged_call(struct merger *m, LLVMValueRef like, LLVMMetadataRef at)
{
  LLVMPositionBuilderAtEnd(m->builder, m->merge_block);
  LLVMSetCurrentDebugLocation2(m->builder, at);
  LLVMValueRef call = clone_instruction(m->builder, like, NULL);
  LLVMInstructionSetDebugLoc(call, at);
  if (LLVMIsAInvokeInst(call))
    LLVMSetNormalDest(call, m->to);
  else
    LLVMBuildBr(m->builder, m->to);
}

static void merge_calls_of_paths(struct merger *m)
{
  const struct resume_path *first = m->paths.items;
  LLVMBasicBlockRef pad = unwind_dest_of_path_or_null(first);
  m->merge_block = LLVMInsertBasicBlockInContext(m->run->context, m->to, "");
  replace_phi_entries(m, m->to, &m->path_by_block, m->merge_block);
  if (paths_have_own_landing_pads(m))
    replace_phi_entries(m, block_after_exclusive_pad_or_null(first->call), &m->path_by_pad, pad);
  else if (pad)
    replace_phi_entries(m, pad, &m->path_by_block, m->merge_block);
  build_merged_call(m, first->call, merged_location(m));
  for (uint32_t w = 0; w < m->paths.count; w++)
    redirect_path_to_merge_block(m, &m->paths.items[w], pad);
}

static bool merge_calls_before_block(struct merger *m, LLVMBasicBlockRef to, bool *merged)
{
  bool fine = list_paths_with_calls(m, to);
  *merged = false;
  for (int i = 0; i < MAX_CALLS && m->remaining.count > 1 && fine; i++) {
    fine = take_paths_with_same_call_as_first(m) && (m->paths.count < 2 || number_paths_by_block(m));
    if (!fine || m->paths.count < 2 || !have_same_uses_of_exceptions(m))
      continue;
    merge_calls_of_paths(m);
    *merged = true;
  }
  return fine;
}

bool merge_resume_calls(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  struct merger m = {.run = run, .builder = LLVMCreateBuilderInContext(run->context)};
  bool fine = true, merged;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && fine; b = LLVMGetNextBasicBlock(b))
    do { /* a landing pad may have become exclusive */
      fine = merge_calls_before_block(&m, b, &merged);
      *changed |= merged;
    } while (fine && merged);
  LLVMDisposeBuilder(m.builder);
  return fine && !coro_arena_failed(run->arena);
}
