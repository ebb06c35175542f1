/* coro-cache-frames: keeps the memory of destroyed frames in lists of their thread, from which the next frames of the
   same size are taken. Before coro-early it puts a search of the list before each call of operator new that allocates a
   frame, and an insertion before each call of operator delete that frees one:
     %found = call ptr @pycoro.frame_cache.take(i64 %size)          ; null: the list is empty
     %memory = call ptr @_Znwm(i64 %block)                          ; only if %found is null
     %kept = call i1 @pycoro.frame_cache.give(ptr %memory, i64 %size)
     call void @_ZdlPvm(ptr %memory, i64 %block)                    ; only if %kept is false
   %block is %size rounded up to its list's block size. LLVM inlines the calls, and folds the choice of the list when
   coro-split has replaced llvm.coro.size.
   Requires: coroutines as from clang, before coro-early; a target with __cxa_thread_atexit.
   Guarantees: coroutines of other allocators, of promises with an operator new or delete, and of functions with a
   sanitizer do not change. The other ones can be elided as before. */
#include <string.h>

#include "ir/edit.h"
#include "ir/operand.h"
#include "llvm-c/IRReader.h"
#include "llvm-c/Linker.h"
#include "passes/frame_cache_functions.h"
#include "run/diagnose.h"
#include "run/intrinsic_calls.h"
#include "run/passes.h"
#include "transform/split_block.h"

struct cache_frames {
  struct pass_run *run;
  LLVMBuilderRef builder;
  pass_values allocations, deallocations; /* of the frame of one coroutine */
  bool linked; /* the module has the functions of the cache */
  bool changed;
};

static const char *const operators_new[] = {"_Znwm", "_Znwj", "_ZnwmRKSt9nothrow_t", "_ZnwjRKSt9nothrow_t"};
static const char *const operators_delete[] = {"_ZdlPv", "_ZdlPvm", "_ZdlPvj"};

/* Whether the value is a call of a function with one of the names, which can be moved to a block of its own. */
static bool is_movable_call_of_function_named(LLVMValueRef value, const char *const *names, size_t count)
{
  LLVMValueRef callee = LLVMIsACallInst(value) ? LLVMIsAFunction(LLVMGetCalledValue(value)) : NULL;
  if (!callee || LLVMGetTailCallKind(value) == LLVMTailCallKindMustTail)
    return false;
  for (size_t i = 0; i < count; i++)
    if (strcmp(edit_value_name(callee), names[i]) == 0)
      return true;
  return false;
}

static bool is_coro_size_of_64_bits_or_less(const struct cache_frames *c, LLVMValueRef value)
{
  return intrin_of_call(c->run->intrin, value) == INTRIN_SIZE && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64;
}

static bool allocates_frame_size(const struct cache_frames *c, LLVMValueRef value)
{
  return is_movable_call_of_function_named(value, operators_new, sizeof operators_new / sizeof *operators_new) &&
         LLVMGetNumArgOperands(value) && is_coro_size_of_64_bits_or_less(c, LLVMGetOperand(value, ALLOCATED_BYTES));
}

static bool frees_frame(const struct cache_frames *c, LLVMValueRef value, LLVMValueRef memory)
{
  if (!is_movable_call_of_function_named(value, operators_delete, sizeof operators_delete / sizeof *operators_delete))
    return false;
  unsigned arguments = LLVMGetNumArgOperands(value);
  bool right_size =
      arguments == 1 || (arguments == 2 && is_coro_size_of_64_bits_or_less(c, LLVMGetOperand(value, FREED_BYTES)));
  return right_size && LLVMGetOperand(value, FREED_MEMORY) == memory && !LLVMGetFirstUse(value);
}

/* ---- Matching ---- */

static bool collect_allocation_or_set_obstacle(struct cache_frames *c, LLVMValueRef value, const char **obstacle)
{
  if (LLVMIsConstant(value) && LLVMIsNull(value)) /* the caller provides the frame */
    return true;
  for (uint32_t i = 0; i < c->allocations.count; i++)
    if (c->allocations.items[i] == value)
      return true;
  if (allocates_frame_size(c, value))
    return coro_vec_push(c->run->arena, &c->allocations, value);
  *obstacle = "the frame is not allocated by the global operator new";
  return true;
}

static bool collect_begin_allocations_or_set_obstacle(struct cache_frames *c, LLVMValueRef begin, const char **obstacle)
{
  LLVMValueRef memory = LLVMGetOperand(begin, BEGIN_MEMORY);
  if (!LLVMIsAPHINode(memory))
    return collect_allocation_or_set_obstacle(c, memory, obstacle);
  bool fine = true;
  for (unsigned i = 0; i < LLVMCountIncoming(memory) && fine; i++)
    fine = collect_allocation_or_set_obstacle(c, LLVMGetIncomingValue(memory, i), obstacle);
  return fine;
}

static bool collect_free_deallocations_or_set_obstacle(struct cache_frames *c, LLVMValueRef memory,
                                                       const char **obstacle)
{
  for (LLVMUseRef use = LLVMGetFirstUse(memory); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (frees_frame(c, user, memory)) {
      if (!coro_vec_push(c->run->arena, &c->deallocations, user))
        return false;
    } else if (!LLVMIsAICmpInst(user))
      *obstacle = "the frame is not freed by the global operator delete";
  }
  return true;
}

static const char *name_of_sanitizer(LLVMValueRef function)
{
  static const char *const names[] = {"sanitize_address", "sanitize_hwaddress", "sanitize_memory",
                                      "sanitize_memtag",  "sanitize_thread",    "sanitize_type"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (edit_has_function_attribute(function, names[i]))
      return names[i];
  return NULL;
}

/* Collects the calls that allocate and free the frame. *obstacle: why they cannot be replaced; NULL if they can. */
static bool collect_frame_calls_or_set_obstacle(struct cache_frames *c, const pass_values *calls, const char **obstacle)
{
  bool fine = true;
  c->allocations.count = c->deallocations.count = 0;
  for (uint32_t i = 0; i < calls->count && fine && !*obstacle; i++)
    switch (intrin_of_call(c->run->intrin, calls->items[i])) {
    case INTRIN_BEGIN: fine = collect_begin_allocations_or_set_obstacle(c, calls->items[i], obstacle); break;
    case INTRIN_FREE: fine = collect_free_deallocations_or_set_obstacle(c, calls->items[i], obstacle); break;
    default: break;
    }
  if (!*obstacle && (!c->allocations.count || !c->deallocations.count))
    *obstacle = "it does not allocate and free its frame";
  return fine;
}

/* ---- Changing ---- */

static LLVMValueRef build_frame_cache_call(struct cache_frames *c, const char *name, LLVMValueRef *arguments,
                                           unsigned count)
{
  LLVMValueRef function = LLVMGetNamedFunction(c->run->module, name);
  return edit_build_call(c->builder, function, arguments, count, "");
}

static LLVMValueRef build_size_as_i64(struct cache_frames *c, LLVMValueRef size)
{
  return LLVMBuildZExtOrBitCast(c->builder, size, LLVMInt64TypeInContext(c->run->context), "");
}

/* The size of the block in which a frame of this size is, in the type of the size. */
static LLVMValueRef build_block_size(struct cache_frames *c, LLVMValueRef size)
{
  LLVMValueRef wide = build_size_as_i64(c, size);
  LLVMValueRef block = build_frame_cache_call(c, FRAME_CACHE_PREFIX "block_size", &wide, 1);
  return LLVMBuildTruncOrBitCast(c->builder, block, LLVMTypeOf(size), "");
}

/* Splits the block of a call before and after it, and leaves the builder at the end of the first part, without a
   terminator. *alone: the block of the call. NULL: out of memory; otherwise the first part. */
static LLVMBasicBlockRef isolate_call_in_own_block(struct cache_frames *c, LLVMValueRef call, LLVMBasicBlockRef *alone)
{
  LLVMValueRef next = LLVMGetNextInstruction(call);
  LLVMBasicBlockRef first = split_block(c->run->arena, c->builder, call, "");
  *alone = first ? split_block(c->run->arena, c->builder, next, "") : NULL;
  if (!*alone)
    return NULL;
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(first));
  LLVMPositionBuilderAtEnd(c->builder, first);
  return first;
}

static bool search_cache_before_allocation(struct cache_frames *c, LLVMValueRef call)
{
  LLVMBasicBlockRef alone, rest;
  LLVMBasicBlockRef first = isolate_call_in_own_block(c, call, &alone);
  if (!first)
    return false;
  LLVMValueRef size = LLVMGetOperand(call, ALLOCATED_BYTES), wide = build_size_as_i64(c, size);
  LLVMValueRef found = build_frame_cache_call(c, FRAME_CACHE_PREFIX "take", &wide, 1);
  rest = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(alone), 0);
  LLVMBuildCondBr(c->builder, LLVMBuildIsNull(c->builder, found, ""), alone, rest);
  edit_position_builder_with_location(c->builder, call);
  LLVMSetOperand(call, ALLOCATED_BYTES, build_block_size(c, size));
  edit_position_builder_with_location(c->builder, LLVMGetFirstInstruction(rest));
  LLVMValueRef memory = LLVMBuildPhi(c->builder, LLVMTypeOf(call), "");
  LLVMReplaceAllUsesWith(call, memory);
  LLVMAddIncoming(memory, (LLVMValueRef[]){found, call}, (LLVMBasicBlockRef[]){first, alone}, 2);
  return true;
}

static bool offer_memory_before_deallocation(struct cache_frames *c, LLVMValueRef call, LLVMValueRef size_function)
{
  LLVMBasicBlockRef alone;
  if (!isolate_call_in_own_block(c, call, &alone))
    return false;
  bool sized = LLVMGetNumArgOperands(call) == 2;
  LLVMValueRef size =
      sized ? LLVMGetOperand(call, FREED_BYTES) : edit_build_call(c->builder, size_function, NULL, 0, "");
  LLVMValueRef arguments[2] = {LLVMGetOperand(call, FREED_MEMORY), build_size_as_i64(c, size)};
  LLVMValueRef kept = build_frame_cache_call(c, FRAME_CACHE_PREFIX "give", arguments, 2);
  LLVMBuildCondBr(c->builder, kept, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(alone), 0), alone);
  edit_position_builder_with_location(c->builder, call);
  if (sized)
    LLVMSetOperand(call, FREED_BYTES, build_block_size(c, size));
  return true;
}

static bool cache_frames_of_coroutine(struct cache_frames *c)
{
  LLVMValueRef size_function = LLVMGetCalledValue(LLVMGetOperand(c->allocations.items[0], ALLOCATED_BYTES));
  bool fine = true;
  for (uint32_t i = 0; i < c->allocations.count && fine; i++)
    fine = search_cache_before_allocation(c, c->allocations.items[i]);
  for (uint32_t i = 0; i < c->deallocations.count && fine; i++)
    fine = offer_memory_before_deallocation(c, c->deallocations.items[i], size_function);
  c->changed = true;
  return fine;
}

/* ---- The functions of the cache ---- */

/* Declares the functions of the cache that the module lacks: LLVM links only those linkonce_odr definitions that the
   module declares. An earlier run may have left some of them. False: a symbol of the module has the name of one. */
static bool declare_cache_functions_unless_names_clash(LLVMModuleRef module, LLVMModuleRef functions)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(functions); f; f = LLVMGetNextFunction(f)) {
    const char *name = edit_value_name(f);
    if (LLVMIsDeclaration(f))
      continue;
    LLVMValueRef own = edit_declare_library_function(module, name, LLVMGlobalGetValueType(f));
    if (LLVMGlobalGetValueType(own) != LLVMGlobalGetValueType(f) || strcmp(edit_value_name(own), name))
      return false;
  }
  return true;
}

static bool link_and_consume_functions(LLVMModuleRef module, LLVMModuleRef functions)
{
  if (declare_cache_functions_unless_names_clash(module, functions))
    return !LLVMLinkModules2(module, functions);
  LLVMDisposeModule(functions);
  return false;
}

static coro_status link_frame_cache_functions_once(struct cache_frames *c)
{
  LLVMModuleRef module = c->run->module, functions = NULL;
  char *message = NULL;
  if (c->linked)
    return CORO_OK;
  LLVMMemoryBufferRef text =
      LLVMCreateMemoryBufferWithMemoryRange(frame_cache_functions, sizeof frame_cache_functions - 1, "", true);
  LLVMParseIRInContext2(c->run->context, text, &functions, &message); /* the text is valid, so this cannot fail */
  LLVMDisposeMemoryBuffer(text);
  LLVMDisposeMessage(message);
  LLVMSetTarget(functions, LLVMGetTarget(module));
  LLVMSetDataLayout(functions, LLVMGetDataLayoutStr(module));
  LLVMValueRef cache = link_and_consume_functions(module, functions) ? LLVMGetNamedGlobal(module, FRAME_CACHE) : NULL;
  if (!cache)
    return pass_reject_instruction(c->run, "frame-cache-link", NULL, NULL,
                                   "the functions of coro-cache-frames cannot be linked to the module",
                                   "rename the module's symbols that begin with " FRAME_CACHE_PREFIX);
  if (c->run->parameter)
    LLVMSetThreadLocalMode(cache, (LLVMThreadLocalMode)c->run->parameter);
  c->linked = true;
  return CORO_OK;
}

/* Whether the C++ runtime of the target can run functions at the end of a thread. */
static bool target_has_thread_exit_functions(LLVMModuleRef module)
{
  static const char *const systems[] = {"linux", "freebsd", "netbsd", "openbsd", "dragonfly", "fuchsia"};
  const char *triple = LLVMGetTarget(module);
  for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
    if (strstr(triple, systems[i]))
      return true;
  return !*triple;
}

static coro_status report_decision(struct cache_frames *c, LLVMValueRef function, const char *obstacle)
{
  const char *name = edit_value_name(function);
  const char *text = coro_arena_printf(c->run->arena, "@%s: %s", name,
                                       obstacle ? obstacle : "memory of destroyed frames is kept for new ones");
  bool recorded = text && pass_remark(c->run, "coro-cache-frames", "CoroCacheFrames", function, !obstacle, text);
  return recorded ? CORO_OK : CORO_ENOMEM;
}

static coro_status cache_frames_in_function(struct cache_frames *c, LLVMValueRef function, pass_values *calls)
{
  const char *obstacle = name_of_sanitizer(function) ? "a sanitizer checks the memory of frames" : NULL;
  bool is_coroutine = false;
  if (!pass_list_coro_intrinsic_calls(c->run, function, calls))
    return CORO_ENOMEM;
  for (uint32_t i = 0; i < calls->count; i++)
    is_coroutine |= intrin_of_call(c->run->intrin, calls->items[i]) == INTRIN_ID;
  if (!is_coroutine)
    return CORO_OK;
  if (!obstacle && !collect_frame_calls_or_set_obstacle(c, calls, &obstacle))
    return CORO_ENOMEM;
  coro_status status = obstacle ? CORO_OK : link_frame_cache_functions_once(c);
  if (!status && !obstacle && (!pass_mark_modified(c->run, function) || !cache_frames_of_coroutine(c)))
    status = CORO_ENOMEM;
  return status ? status : report_decision(c, function, obstacle);
}

coro_status coro_pass_cache_frames(struct pass_run *run, LLVMValueRef function, bool *changed)
{
  (void)function;
  pass_values functions = {0}, calls = {0};
  if (!target_has_thread_exit_functions(run->module))
    return pass_reject_instruction(run, "frame-cache-target", NULL, NULL,
                                   "coro-cache-frames does not support the target of the module",
                                   "use it for targets such as Linux, whose C++ runtime has __cxa_thread_atexit");
  if (!pass_list_functions_with_coro_intrinsics(run, &functions))
    return CORO_ENOMEM;
  struct cache_frames c = {.run = run, .builder = LLVMCreateBuilderInContext(run->context)};
  coro_status status = CORO_OK;
  for (uint32_t i = 0; i < functions.count && !status; i++)
    status = cache_frames_in_function(&c, functions.items[i], &calls);
  LLVMDisposeBuilder(c.builder);
  *changed |= c.changed;
  return status;
}
