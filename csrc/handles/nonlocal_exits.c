/* The call graph is searched with a worklist. If no inspected function may exit non-locally, all are memoized as such;
   otherwise only the queried one is. */
#include "handles/nonlocal_exits.h"

#include <string.h>

#include "ir/edit.h"

enum { MAX_INSTRUCTIONS = 10000 }; /* limit of inspected instructions per query, independent of the call graph's size */

bool nonlocal_exits_init(struct nonlocal_exits *nonlocal, struct coro_budget *budget)
{
  *nonlocal = (struct nonlocal_exits){.arena = coro_arena_create()};
  if (!nonlocal->arena)
    return false;
  coro_arena_set_budget(nonlocal->arena, budget);
  nonlocal->empty_mark = coro_arena_mark(nonlocal->arena);
  coro_map_init(&nonlocal->functions, nonlocal->arena);
  return true;
}

void nonlocal_exits_free(struct nonlocal_exits *nonlocal)
{
  coro_arena_free(nonlocal->arena);
}

void nonlocal_exits_reset(struct nonlocal_exits *nonlocal)
{
  coro_arena_rewind(nonlocal->arena, nonlocal->empty_mark);
  *nonlocal = (struct nonlocal_exits){.arena = nonlocal->arena, .empty_mark = nonlocal->empty_mark};
  coro_map_init(&nonlocal->functions, nonlocal->arena);
}

static bool is_name_among(const char *name, const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

static bool is_longjmp_or_thread_exit(const char *name)
{
  static const char *const names[] = {"longjmp",        "_longjmp",          "siglongjmp",
                                      "__longjmp_chk",  "__builtin_longjmp", "llvm.eh.sjlj.longjmp",
                                      "__wasm_longjmp", "thrd_exit",         "pthread_exit"};
  return is_name_among(name, names, sizeof names / sizeof *names);
}

/* Names, and prefixes of names, of functions that end the process or throw. */
static bool ends_process_or_throws(const char *name)
{
  static const char *const ends[] = {"abort",        "exit",           "_exit",
                                     "_Exit",        "quick_exit",     "__assert_fail",
                                     "__assert_rtn", "__assert",       "__stack_chk_fail",
                                     "__chk_fail",   "__fortify_fail", "__ubsan_handle_unreachable"};
  static const char *const starts[] = {"llvm.", "_ZSt", "_ZNSt", "_ZNKSt", "__cxa_", "_Unwind_", "__asan_", "__ubsan_"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (strncmp(name, starts[i], strlen(starts[i])) == 0)
      return true;
  return is_name_among(name, ends, sizeof ends / sizeof *ends);
}

static bool call_or_callee_has_attribute(LLVMValueRef call, LLVMValueRef callee, const char *attribute)
{
  return edit_has_function_attribute(call, attribute) ||
         (LLVMIsAFunction(callee) && edit_has_function_attribute(callee, attribute));
}

static bool is_noreturn_or_before_unreachable(LLVMValueRef call, LLVMValueRef callee)
{
  LLVMValueRef next =
      LLVMIsAInvokeInst(call) ? LLVMGetFirstInstruction(LLVMGetNormalDest(call)) : LLVMGetNextInstruction(call);
  return call_or_callee_has_attribute(call, callee, "noreturn") || (next && LLVMIsAUnreachableInst(next));
}

/* Resolves aliases. *definitive: the call cannot reach another definition. */
static LLVMValueRef resolve_aliases(LLVMValueRef callee, bool *definitive)
{
  *definitive = true;
  for (; LLVMIsAGlobalAlias(callee); callee = edit_strip_casts_and_zero_geps(LLVMAliasGetAliasee(callee)))
    *definitive &= !edit_is_interposable(callee);
  *definitive &= LLVMIsAFunction(callee) && !edit_is_interposable(callee);
  return callee;
}

/* Classifies a call without inspecting its callee. *into: the callee to inspect. Names only identify external
   functions: a function with a callback may have any name. */
static bool may_exit_without_inspecting_callee(LLVMValueRef at, LLVMValueRef *into)
{
  bool definitive;
  LLVMValueRef named = edit_is_call(at) ? LLVMGetCalledValue(at) : NULL;
  *into = NULL;
  if (!named || LLVMIsAInlineAsm(named) || call_or_callee_has_attribute(at, named, "willreturn"))
    return false;
  LLVMValueRef callee = resolve_aliases(named, &definitive);
  if (!LLVMIsAFunction(callee))
    return is_noreturn_or_before_unreachable(at, callee);
  const char *name = edit_value_name(callee);
  if (is_longjmp_or_thread_exit(name))
    return true;
  if (LLVMIsDeclaration(callee))
    return !ends_process_or_throws(name) && is_noreturn_or_before_unreachable(at, callee);
  *into = callee;
  return !definitive && is_noreturn_or_before_unreachable(at, callee);
}

enum exit_answer {
  ANSWER_NO,
  ANSWER_YES,
  ANSWER_PENDING, /* query in progress */
  ANSWER_NONE /* none yet: not queried, or the answers for other functions decide */
};

static enum exit_answer find_memoized_answer(const struct nonlocal_exits *nonlocal, LLVMValueRef function)
{
  uint64_t answer = ANSWER_NONE;
  coro_map_get(&nonlocal->functions, coro_map_key(function), &answer);
  return (enum exit_answer)answer;
}

static bool memoize_answer(struct nonlocal_exits *nonlocal, LLVMValueRef function, enum exit_answer answer)
{
  return coro_map_put(&nonlocal->functions, coro_map_key(function), answer);
}

static bool mark_pending_and_enqueue(struct nonlocal_exits *nonlocal, LLVMValueRef function)
{
  return memoize_answer(nonlocal, function, ANSWER_PENDING) &&
         coro_vec_push(nonlocal->arena, &nonlocal->inspected, function);
}

/* Whether one of the function's calls may exit; adds callees to inspect, once each. */
static bool may_exit_in_body_or_enqueue_callees(struct nonlocal_exits *nonlocal, LLVMValueRef function,
                                                uint32_t *instructions_left)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at)) {
      LLVMValueRef into;
      if (!*instructions_left || may_exit_without_inspecting_callee(at, &into))
        return true;
      --*instructions_left;
      enum exit_answer known = into ? find_memoized_answer(nonlocal, into) : ANSWER_NO;
      if (known == ANSWER_YES || (known == ANSWER_NONE && !mark_pending_and_enqueue(nonlocal, into)))
        return true; /* the arena records the failure */
    }
  return false;
}

/* Inspects all transitive callees. */
bool function_may_exit_nonlocally(struct nonlocal_exits *nonlocal, LLVMValueRef function)
{
  enum exit_answer known = find_memoized_answer(nonlocal, function);
  uint32_t left = MAX_INSTRUCTIONS;
  if (known != ANSWER_NONE || LLVMIsDeclaration(function))
    return known == ANSWER_YES;
  nonlocal->inspected.count = 0;
  bool may = !mark_pending_and_enqueue(nonlocal, function);
  for (uint32_t i = 0; i < nonlocal->inspected.count && !may; i++)
    may = may_exit_in_body_or_enqueue_callees(nonlocal, nonlocal->inspected.items[i], &left);
  for (uint32_t i = 0; i < nonlocal->inspected.count; i++) /* none of them may, or the culprit is unknown */
    (void)memoize_answer(nonlocal, nonlocal->inspected.items[i], may ? ANSWER_NONE : ANSWER_NO);
  if (may)
    (void)memoize_answer(nonlocal, function, ANSWER_YES);
  return may;
}

bool nonlocal_exits_depend_on(const struct nonlocal_exits *nonlocal, LLVMValueRef function)
{
  return coro_map_has(&nonlocal->functions, coro_map_key(function));
}

bool may_exit_nonlocally(struct nonlocal_exits *nonlocal, LLVMValueRef instruction)
{
  LLVMValueRef into;
  return may_exit_without_inspecting_callee(instruction, &into) ||
         (into && function_may_exit_nonlocally(nonlocal, into));
}
