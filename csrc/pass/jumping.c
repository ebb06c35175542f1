/* Jumping: calls that may take the stack away without an exception: by a jump out of it, or with its thread. What never
   comes back jumps, unless it is known to end the process or to throw; so does who calls such a one.
   Needs: ir. Leaves: the functions as they were. */
#include "pass/jumping.h"

#include <string.h>

#include "base/vec.h"
#include "ir/edit.h"

enum { LOOKED_AT = 10000 }; /* instructions for one answer: its cost must not grow with all that is below */

static const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;

bool jumping_begin(struct jumping *jumping, struct coro_budget *budget)
{
  jumping->arena = coro_arena_create();
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

typedef CORO_VEC(LLVMValueRef) function_list;

/* Whether one of its calls may; the functions that are to tell it of others are put on the list, once each. */
static bool look_into(struct jumping *jumping, LLVMValueRef function, struct coro_map *seen, function_list *list,
                      uint32_t *left)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at)) {
      LLVMValueRef into;
      uint64_t known = false;
      if (!*left || may_by_itself(at, &into))
        return true;
      --*left;
      if (!into || coro_map_get(seen, coro_map_key(into), &known))
        continue;
      if (coro_map_get(&jumping->functions, coro_map_key(into), &known)) {
        if (known)
          return true;
        continue;
      }
      if (!coro_map_put(seen, coro_map_key(into), 1) || !coro_vec_push(jumping->arena, list, into))
        return true; /* the arena remembers */
    }
  return false;
}

/* Whoever is called, however far below. */
bool jumping_in(struct jumping *jumping, LLVMValueRef part)
{
  struct coro_map seen;
  function_list list = {0};
  uint64_t known;
  uint32_t left = LOOKED_AT;
  if (coro_map_get(&jumping->functions, coro_map_key(part), &known))
    return known;
  coro_map_init(&seen, jumping->arena);
  bool may = !coro_map_put(&seen, coro_map_key(part), 1) ||
             (!LLVMIsDeclaration(part) && !coro_vec_push(jumping->arena, &list, part)); /* the arena remembers */
  for (uint32_t i = 0; i < list.count && !may; i++)
    may = look_into(jumping, list.items[i], &seen, &list, &left);
  for (uint32_t i = 0; i < list.count && !may; i++) /* what these call is among them */
    (void)coro_map_put(&jumping->functions, coro_map_key(list.items[i]), false);
  (void)coro_map_put(&jumping->functions, coro_map_key(part), may);
  return may;
}

bool jumping_may(struct jumping *jumping, LLVMValueRef instruction)
{
  LLVMValueRef into;
  return may_by_itself(instruction, &into) || (into && jumping_in(jumping, into));
}
