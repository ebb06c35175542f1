/* The versions at which a module and its functions were changed and verified.
   Requires: csrc/run. */
#include "check.h"
#include "run/verification.h"

static int objects[3]; /* stand for functions, of which only the address counts */

static LLVMValueRef function(unsigned index)
{
  return (LLVMValueRef)(void *)&objects[index];
}

int main(void)
{
  struct coro_arena *arena = coro_arena_create();
  struct verification v;
  verification_init(&v, arena);
  CHECK(verification_has_verified(&v, function(0)), "the input was verified");
  CHECK(verification_mark_changed(&v, function(0)), "memory");
  verification_add_change(&v, MADE_BY_PYCORO, "coro-split");
  CHECK(verification_is_pending(&v, MADE_BY_PYCORO) && !verification_has_verified(&v, function(0)), "changed");
  CHECK(!verification_may_be_broken_by_others(&v, function(0)), "only a pass of pycoro can have broken it");
  CHECK(verification_has_verified(&v, function(1)), "another function is unchanged");
  verification_accept_functions(&v);
  CHECK(!verification_is_pending(&v, MADE_BY_PYCORO) && v.verified == v.version, "all changes were in known functions");

  verification_add_change(&v, MADE_BY_LEVEL, "instcombine");
  CHECK(verification_may_be_broken_by_others(&v, function(1)), "LLVM's pass may have changed any function");
  CHECK(verification_mark_verified(&v, function(1)) && verification_has_verified(&v, function(1)), "memory");
  CHECK(verification_mark_changed(&v, function(1)) && verification_mark_changed(&v, function(2)), "memory");
  verification_add_change(&v, MADE_BY_PYCORO, "coro-elide");
  CHECK(!verification_may_be_broken_by_others(&v, function(1)), "verified between the two changes");
  CHECK(verification_may_be_broken_by_others(&v, function(2)), "not verified between the two changes");
  verification_accept_functions(&v);
  CHECK(verification_is_pending(&v, MADE_BY_LEVEL) && v.verified < v.version, "a level is verified as a whole");
  verification_add_change(&v, MADE_BY_LEVEL, "simplifycfg");
  CHECK(verification_may_be_broken_by_others(&v, function(1)), "changed again");

  verification_add_change(&v, MADE_BY_CLIENT, "mine");
  CHECK(v.anywhere == v.version, "of any function");
  verification_accept_module(&v);
  for (unsigned i = 0; i < 3; i++)
    CHECK(verification_has_verified(&v, function(i)), "the module was verified");
  for (enum change_maker maker = 0; maker < CHANGE_MAKERS; maker++)
    CHECK(!verification_is_pending(&v, maker), "nothing is pending");
  coro_arena_free(arena);
  return check_done("test_verification");
}
