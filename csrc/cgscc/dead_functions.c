/* Deletes functions of a wave that have become unused; see dead_functions.h. */
#include "cgscc/dead_functions.h"

#include "base/small_set.h"
#include "ir/edit.h"
#include "llvm-c/Comdat.h"

enum { MAX_USERS = 8 }; /* transitive users of a function; it counts as used if there are more */

static bool is_discardable(LLVMValueRef function)
{
  LLVMLinkage linkage = LLVMGetLinkage(function);
  return edit_has_local_linkage(function) || linkage == LLVMLinkOnceAnyLinkage || linkage == LLVMLinkOnceODRLinkage;
}

static bool count_member_of_comdat(struct coro_map *members, LLVMValueRef global)
{
  LLVMComdatRef comdat = LLVMGetComdat(global);
  uint64_t count = 0;
  if (!comdat)
    return true;
  coro_map_get(members, coro_map_key(comdat), &count);
  return coro_map_put(members, coro_map_key(comdat), count + 1);
}

/* Counts the members of each comdat once. Deletions only reduce the number, and waves add no members. */
static bool count_comdat_members(struct cgscc_waves *waves)
{
  bool fine = true;
  if (waves->comdat_members.arena)
    return true;
  coro_map_init(&waves->comdat_members, waves->arena);
  for (LLVMValueRef f = LLVMGetFirstFunction(waves->run->module); f && fine; f = LLVMGetNextFunction(f))
    fine = count_member_of_comdat(&waves->comdat_members, f);
  for (LLVMValueRef g = LLVMGetFirstGlobal(waves->run->module); g && fine; g = LLVMGetNextGlobal(g))
    fine = count_member_of_comdat(&waves->comdat_members, g);
  return fine;
}

/* The linker keeps or drops the members of a comdat together. */
static bool may_share_comdat(const struct cgscc_waves *waves, LLVMValueRef function)
{
  LLVMComdatRef comdat = LLVMGetComdat(function);
  uint64_t count = 0;
  return comdat && (!coro_map_get(&waves->comdat_members, coro_map_key(comdat), &count) || count != 1);
}

static bool may_delete_function(const struct cgscc_waves *waves, LLVMValueRef function)
{
  return is_discardable(function) && !edit_is_presplit_definition(function) && !may_share_comdat(waves, function);
}

/* A function and its transitive users. They refer to each other: the ramp and f.noalloc to the list of clones, which
   contains f.noalloc. */
struct dead_search {
  const struct cgscc_waves *waves;
  struct small_set functions;
};

/* False: the user keeps the function alive, or there are too many. */
static bool add_user_unless_alive(struct dead_search *s, LLVMValueRef function)
{
  return small_set_has(&s->functions, function) ||
         (s->functions.count < MAX_USERS && may_delete_function(s->waves, function) &&
          small_set_add(&s->functions, function));
}

/* Adds the functions that use a local variable by instructions. */
static bool add_variable_users_unless_alive(struct dead_search *s, LLVMValueRef variable)
{
  bool dead = LLVMIsAGlobalVariable(variable) && edit_has_local_linkage(variable);
  for (LLVMUseRef use = LLVMGetFirstUse(variable); use && dead; use = LLVMGetNextUse(use))
    dead = edit_is_instruction(LLVMGetUser(use)) && add_user_unless_alive(s, edit_function_of(LLVMGetUser(use)));
  return dead;
}

/* An address of a block, for example, cannot be replaced by poison, so only aggregates may be left. */
static bool add_users_unless_alive(struct dead_search *s, LLVMValueRef function)
{
  bool dead = true;
  for (LLVMUseRef use = LLVMGetFirstUse(function); use && dead; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (edit_is_instruction(user)) {
      dead = add_user_unless_alive(s, edit_function_of(user));
      continue;
    }
    dead = LLVMIsAConstantArray(user) || LLVMIsAConstantStruct(user);
    for (LLVMUseRef list = LLVMGetFirstUse(user); list && dead; list = LLVMGetNextUse(list))
      dead = add_variable_users_unless_alive(s, LLVMGetUser(list));
  }
  return dead;
}

static bool is_dead_with_transitive_users(struct dead_search *s, LLVMValueRef function)
{
  s->functions.count = 0;
  bool dead = add_user_unless_alive(s, function);
  for (uint32_t i = 0; i < s->functions.count && dead; i++)
    dead = add_users_unless_alive(s, s->functions.items[i]);
  return dead;
}

static void delete_functions(struct cgscc_waves *waves, const struct dead_search *s)
{
  for (uint32_t i = 0; i < s->functions.count; i++) {
    waves_remove_function(waves, s->functions.items[i]);
    LLVMReplaceAllUsesWith(s->functions.items[i], LLVMGetPoison(LLVMTypeOf(s->functions.items[i])));
  }
  for (uint32_t i = 0; i < s->functions.count; i++)
    LLVMDeleteFunction(s->functions.items[i]);
}

static void clear_deleted_list_entries(pass_values *functions, const struct dead_search *s)
{
  for (uint32_t i = 0; i < functions->count; i++)
    for (uint32_t d = 0; d < s->functions.count; d++)
      if (functions->items[i] == s->functions.items[d])
        functions->items[i] = NULL;
}

/* Deletes the dead functions of a list, and the functions that use them, which are dead as well. True: there was one,
   so others may be dead now. */
static bool delete_dead_functions_of_list(struct cgscc_waves *waves, pass_values *functions)
{
  struct dead_search s = {.waves = waves};
  bool any = false;
  for (uint32_t i = 0; i < functions->count; i++) {
    if (!functions->items[i] || !is_dead_with_transitive_users(&s, functions->items[i]))
      continue;
    clear_deleted_list_entries(functions, &s);
    delete_functions(waves, &s);
    any = true;
  }
  return any;
}

bool dead_functions_delete_in_wave(struct cgscc_waves *waves)
{
  struct coro_arena_mark mark = coro_arena_mark(waves->run->arena);
  pass_values functions = {0};
  bool fine = count_comdat_members(waves) && waves_list_functions(waves, waves->run->arena, &functions);
  while (fine && delete_dead_functions_of_list(waves, &functions)) {
  }
  coro_arena_rewind(waves->run->arena, mark);
  return fine;
}
