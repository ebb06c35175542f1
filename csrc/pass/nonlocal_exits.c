/* Interprocedural analysis of non-local exits: calls that may discard the stack without an exception, by longjmp or
   thread exit. A noreturn function counts as one unless it is known to end the process or to throw; so do its callers.
   Requires: ir.
   Guarantees: the functions are unchanged. */
#include "pass/nonlocal_exits.h"

#include <string.h>

#include "ir/edit.h"

enum { LOOKED_AT = 10000 }; /* limit of inspected instructions per query, independent of the call graph's size */

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

bool nonlocal_exits_init(struct jumping *jumping, struct coro_budget *budget)
{
  *jumping = (struct jumping){.arena = coro_arena_create()};
  if (!jumping->arena)
    return false;
  coro_arena_set_budget(jumping->arena, budget);
  jumping->empty = coro_arena_mark(jumping->arena);
  coro_map_init(&jumping->functions, jumping->arena);
  return true;
}

void nonlocal_exits_free(struct jumping *jumping)
{
  coro_arena_free(jumping->arena);
}

void nonlocal_exits_reset(struct jumping *jumping)
{
  coro_arena_rewind(jumping->arena, jumping->empty);
  *jumping = (struct jumping){.arena = jumping->arena, .empty = jumping->empty};
  coro_map_init(&jumping->functions, jumping->arena);
}

static bool is_among(const char *name, const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

static bool is_jump(const char *name)
{
  static const char *const names[] = {"longjmp",        "_longjmp",          "siglongjmp",
                                      "__longjmp_chk",  "__builtin_longjmp", "llvm.eh.sjlj.longjmp",
                                      "__wasm_longjmp", "thrd_exit",         "pthread_exit"};
  return is_among(name, names, sizeof names / sizeof *names);
}

/* Names, and prefixes of names, of functions that end the process or throw. */
static bool is_end(const char *name)
{
  static const char *const ends[] = {"abort",        "exit",           "_exit",
                                     "_Exit",        "quick_exit",     "__assert_fail",
                                     "__assert_rtn", "__assert",       "__stack_chk_fail",
                                     "__chk_fail",   "__fortify_fail", "__ubsan_handle_unreachable"};
  static const char *const starts[] = {"llvm.", "_ZSt", "_ZNSt", "_ZNKSt", "__cxa_", "_Unwind_", "__asan_", "__ubsan_"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (strncmp(name, starts[i], strlen(starts[i])) == 0)
      return true;
  return is_among(name, ends, sizeof ends / sizeof *ends);
}

static bool has(LLVMValueRef call, LLVMValueRef callee, const char *attribute)
{
  return edit_call_has_attribute(call, attribute) ||
         (LLVMIsAFunction(callee) && edit_has_attribute(callee, on_function, attribute));
}

static bool never_comes_back(LLVMValueRef call, LLVMValueRef callee)
{
  LLVMValueRef next =
      LLVMIsAInvokeInst(call) ? LLVMGetFirstInstruction(LLVMGetNormalDest(call)) : LLVMGetNextInstruction(call);
  return has(call, callee, "noreturn") || (next && LLVMIsAUnreachableInst(next));
}

/* Whether the definition is equivalent to any replacement at link time. */
static bool is_kept(LLVMValueRef global)
{
  switch (LLVMGetLinkage(global)) {
  case LLVMInternalLinkage:
  case LLVMPrivateLinkage:
  case LLVMExternalLinkage:
  case LLVMLinkOnceODRLinkage:
  case LLVMWeakODRLinkage:
  case LLVMAvailableExternallyLinkage: return true;
  default: return false;
  }
}

/* Resolves aliases. *kept: the call cannot reach another definition. */
static LLVMValueRef behind(LLVMValueRef callee, bool *kept)
{
  *kept = true;
  for (; LLVMIsAGlobalAlias(callee); callee = edit_strip_casts(LLVMAliasGetAliasee(callee)))
    *kept &= is_kept(callee);
  *kept &= LLVMIsAFunction(callee) && is_kept(callee);
  return callee;
}

/* Classifies a call without inspecting its callee. *into: the callee to inspect. Names only identify external
   functions: a function with a callback may have any name. */
static bool may_by_itself(LLVMValueRef at, LLVMValueRef *into)
{
  bool kept;
  LLVMValueRef named = edit_is_call(at) ? LLVMGetCalledValue(at) : NULL;
  *into = NULL;
  if (!named || LLVMIsAInlineAsm(named) || has(at, named, "willreturn"))
    return false;
  LLVMValueRef callee = behind(named, &kept);
  if (!LLVMIsAFunction(callee))
    return never_comes_back(at, callee);
  const char *name = LLVMGetValueName2(callee, &(size_t){0});
  if (is_jump(name))
    return true;
  if (LLVMIsDeclaration(callee))
    return !is_end(name) && never_comes_back(at, callee);
  *into = callee;
  return !kept && never_comes_back(at, callee);
}

enum answer {
  ANSWER_NO,
  ANSWER_YES,
  ANSWER_ASKED, /* query in progress */
  ANSWER_NONE /* decided by other functions, or not queried */
};

static enum answer answer_of(const struct jumping *jumping, LLVMValueRef function)
{
  uint64_t answer = ANSWER_NONE;
  coro_map_get(&jumping->functions, coro_map_key(function), &answer);
  return (enum answer)answer;
}

static bool set(struct jumping *jumping, LLVMValueRef function, enum answer answer)
{
  return coro_map_put(&jumping->functions, coro_map_key(function), answer);
}

static bool ask(struct jumping *jumping, LLVMValueRef function)
{
  return set(jumping, function, ANSWER_ASKED) && coro_vec_push(jumping->arena, &jumping->asked, function);
}

/* Whether one of the function's calls may exit; adds callees to inspect, once each. */
static bool look_into(struct jumping *jumping, LLVMValueRef function, uint32_t *left)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at)) {
      LLVMValueRef into;
      if (!*left || may_by_itself(at, &into))
        return true;
      --*left;
      enum answer known = into ? answer_of(jumping, into) : ANSWER_NO;
      if (known == ANSWER_YES || (known == ANSWER_NONE && !ask(jumping, into)))
        return true; /* the arena records the failure */
    }
  return false;
}

/* Inspects all transitive callees. */
bool clone_may_exit_nonlocally(struct jumping *jumping, LLVMValueRef part)
{
  enum answer known = answer_of(jumping, part);
  uint32_t left = LOOKED_AT;
  if (known != ANSWER_NONE || LLVMIsDeclaration(part))
    return known == ANSWER_YES;
  jumping->asked.count = 0;
  bool may = !ask(jumping, part);
  for (uint32_t i = 0; i < jumping->asked.count && !may; i++)
    may = look_into(jumping, jumping->asked.items[i], &left);
  for (uint32_t i = 0; i < jumping->asked.count; i++) /* none of them may, or the culprit is unknown */
    (void)set(jumping, jumping->asked.items[i], may ? ANSWER_NONE : ANSWER_NO);
  if (may)
    (void)set(jumping, part, ANSWER_YES);
  return may;
}

bool nonlocal_exits_depend_on(const struct jumping *jumping, LLVMValueRef function)
{
  uint64_t answer;
  return coro_map_get(&jumping->functions, coro_map_key(function), &answer);
}

bool may_exit_nonlocally(struct jumping *jumping, LLVMValueRef instruction)
{
  LLVMValueRef into;
  return may_by_itself(instruction, &into) || (into && clone_may_exit_nonlocally(jumping, into));
}
