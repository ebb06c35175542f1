/* Finds a clone that needs no proof of its own: the cleanup function, if it equals the destroy function except that
   memory to free is null. The rules of this directory depend on the code and the witness of a clone. On its kind they
   depend only for the value of llvm.coro.free, which each clone may use in copies only. So they hold of both clones or
   of neither.
   Requires: the numbered destroy function, to which all rules are applied.
   Guarantees: false for coroutines with hooks or inlined bodies, whose rules depend on more. */
#pragma once

#include "check/check_data.h"

/* Whether `other` is the cleanup function, `destroy` the destroy function, and the former equals the latter. */
bool equal_clone_is_proved_by(const struct check *c, const struct witness_clone *other,
                              const struct check_clone *destroy);
