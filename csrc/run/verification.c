/* Records the versions at which the module and its functions were last changed and verified. */
#include "run/verification.h"

/* The state of a function: the version of its last change or verification, and flags. */
enum {
  STATE_CHANGED = 1, /* a pass of pycoro changed it, and it was not verified since */
  STATE_DOUBTFUL = 2, /* other passes changed it, too, and it was not verified in between */
  STATE_BITS = 2
};

static uint64_t version_and_flags_of_function(const struct verification *v, LLVMValueRef function)
{
  uint64_t state = (uint64_t)v->verified << STATE_BITS; /* of the module */
  coro_map_get(&v->functions, coro_map_key(function), &state);
  return state;
}

static bool set_current_version_and_flags(struct verification *v, LLVMValueRef function, unsigned flags)
{
  return coro_map_put(&v->functions, coro_map_key(function), (uint64_t)v->version << STATE_BITS | flags);
}

void verification_init(struct verification *v, struct coro_arena *arena)
{
  *v = (struct verification){0};
  coro_map_init(&v->functions, arena);
}

void verification_add_change(struct verification *v, enum change_maker maker, const char *pass)
{
  struct changes *changes = &v->changes[maker];
  v->version++;
  changes->first = verification_is_pending(v, maker) ? changes->first : v->version;
  changes->last = v->version;
  changes->pass = pass;
  if (maker == MADE_BY_LLVM || maker == MADE_BY_CLIENT)
    v->anywhere = v->version;
}

bool verification_is_pending(const struct verification *v, enum change_maker maker)
{
  return v->changes[maker].last > v->verified;
}

bool verification_may_be_broken_by_others(const struct verification *v, LLVMValueRef function)
{
  uint64_t state = version_and_flags_of_function(v, function), version = state >> STATE_BITS;
  return state & STATE_DOUBTFUL || version < v->anywhere || version < v->changes[MADE_BY_LEVEL].last;
}

bool verification_was_changed_by_pycoro(const struct verification *v, LLVMValueRef function)
{
  return version_and_flags_of_function(v, function) & STATE_CHANGED;
}

bool verification_has_verified(const struct verification *v, LLVMValueRef function)
{
  return !verification_was_changed_by_pycoro(v, function) && !verification_may_be_broken_by_others(v, function);
}

bool verification_mark_changed(struct verification *v, LLVMValueRef function)
{
  return verification_mark_created(v, function, verification_may_be_broken_by_others(v, function));
}

bool verification_mark_created(struct verification *v, LLVMValueRef function, bool doubtful)
{
  return set_current_version_and_flags(v, function, STATE_CHANGED | (doubtful ? STATE_DOUBTFUL : 0));
}

bool verification_mark_verified(struct verification *v, LLVMValueRef function)
{
  return set_current_version_and_flags(v, function, 0);
}

void verification_accept_functions(struct verification *v)
{
  if (!verification_is_pending(v, MADE_BY_LEVEL))
    v->verified = v->version;
  v->changes[MADE_BY_PYCORO].last = 0;
}

void verification_accept_module(struct verification *v)
{
  v->verified = v->version;
  coro_map_init(&v->functions, v->functions.arena);
}
