/* Jumping: calls that may take the stack away without an exception: by a jump out of it, or with its thread. What never
   comes back jumps, unless it is known to end the process or to throw; so does who calls such a one.
   Needs: ir. Leaves: the functions as they were. */
#include "pass/jumping.h"

#include <string.h>

#include "ir/edit.h"

enum { LOOKED_AT = 10000 }; /* instructions for one answer: its cost must not grow with all that is below */

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

bool jumping_begin(struct jumping *jumping, struct coro_budget *budget)
{
  *jumping = (struct jumping){.arena = coro_arena_create()};
  if (!jumping->arena)
    return false;
  coro_arena_grant(jumping->arena, budget);
  jumping->empty = coro_arena_mark(jumping->arena);
  coro_map_init(&jumping->functions, jumping->arena);
  return true;
}

void jumping_end(struct jumping *jumping)
{
  coro_arena_free(jumping->arena);
}

void jumping_forget(struct jumping *jumping)
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

/* Functions that end the process, or throw, and those that begin so. */
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

/* What may be replaced at link time by another of the same source does what this one does. */
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

/* The function behind aliases. *kept: a call of `callee` runs no other one. */
static LLVMValueRef behind(LLVMValueRef callee, bool *kept)
{
  *kept = true;
  for (; LLVMIsAGlobalAlias(callee); callee = edit_strip_casts(LLVMAliasGetAliasee(callee)))
    *kept &= is_kept(callee);
  *kept &= LLVMIsAFunction(callee) && is_kept(callee);
  return callee;
}

/* What is known of a call without a look into its callee. *into: such a look is to tell. A name tells only of functions
   that are elsewhere: what calls back whom it is given may have any. */
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
  ANSWER_ASKED, /* it is being looked for */
  ANSWER_NONE /* it was, and others told all that was to be told; or nobody has asked */
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

/* Whether one of its calls may; the functions that are to tell it of others are asked, once each. */
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
        return true; /* the arena remembers where it failed */
    }
  return false;
}

/* Whoever is called, however far below. */
bool jumping_in(struct jumping *jumping, LLVMValueRef part)
{
  enum answer known = answer_of(jumping, part);
  uint32_t left = LOOKED_AT;
  if (known != ANSWER_NONE || LLVMIsDeclaration(part))
    return known == ANSWER_YES;
  jumping->asked.count = 0;
  bool may = !ask(jumping, part);
  for (uint32_t i = 0; i < jumping->asked.count && !may; i++)
    may = look_into(jumping, jumping->asked.items[i], &left);
  for (uint32_t i = 0; i < jumping->asked.count; i++) /* none of them may, or it is not known which */
    (void)set(jumping, jumping->asked.items[i], may ? ANSWER_NONE : ANSWER_NO);
  if (may)
    (void)set(jumping, part, ANSWER_YES);
  return may;
}

bool jumping_heard_of(const struct jumping *jumping, LLVMValueRef function)
{
  uint64_t answer;
  return coro_map_get(&jumping->functions, coro_map_key(function), &answer);
}

bool jumping_may(struct jumping *jumping, LLVMValueRef instruction)
{
  LLVMValueRef into;
  return may_by_itself(instruction, &into) || (into && jumping_in(jumping, into));
}
