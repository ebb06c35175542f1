/* Records the versions at which the module and its functions were last changed and verified, like Cranelift's verified
   flag. The version of the module is the number of changes by passes. The module is verified if it was verified at its
   current version. A function is verified if it, or the module, was verified after its last change.
   Requires: base.
   Guarantees: the module is unchanged. */
#pragma once

#include "base/map.h"
#include "llvm-c/Core.h"

enum change_maker {
  MADE_BY_PYCORO,
  MADE_BY_LEVEL, /* by LLVM's passes in an optimization level, which is verified as a whole at its end, as by opt */
  MADE_BY_LLVM, /* by LLVM's other passes */
  MADE_BY_CLIENT,
  CHANGE_MAKERS
};

struct changes {
  const char *pass; /* the last pass that changed the module */
  uint32_t first, last; /* versions of the first unverified and the last change */
};

struct verification {
  uint32_t version; /* version of the module, increased by every change */
  uint32_t verified; /* the version at which the module was verified */
  uint32_t anywhere; /* version of the last change of unknown functions or other globals */
  struct changes changes[CHANGE_MAKERS];
  struct coro_map functions; /* states of functions (verification.c); without an arena: nothing is recorded */
};

void verification_init(struct verification *v, struct coro_arena *arena);
/* Records a change by a pass. MADE_BY_LLVM and MADE_BY_CLIENT: of any function. Otherwise pycoro's passes mark the
   functions that they change, and an optimization level is verified at its end. */
void verification_add_change(struct verification *v, enum change_maker maker, const char *pass);
/* Whether changes of this maker are not verified. */
bool verification_is_pending(const struct verification *v, enum change_maker maker);
/* Whether a pass of pycoro changed the function, and it was not verified since. */
bool verification_was_changed_by_pycoro(const struct verification *v, LLVMValueRef function);
/* Whether passes other than pycoro's may have broken the function since it was verified (NULL: the module). */
bool verification_may_be_broken_by_others(const struct verification *v, LLVMValueRef function);
/* Whether the function was verified after all changes that may concern it. */
bool verification_has_verified(const struct verification *v, LLVMValueRef function);
/* Records that a pass of pycoro changes the function, or created it from a (doubtful) one. False: out of memory. */
bool verification_mark_changed(struct verification *v, LLVMValueRef function);
bool verification_mark_created(struct verification *v, LLVMValueRef function, bool doubtful);
/* Record that the function, all functions changed by pycoro's passes, or the module verified. False: out of memory. */
bool verification_mark_verified(struct verification *v, LLVMValueRef function);
void verification_accept_functions(struct verification *v);
void verification_accept_module(struct verification *v);
