/* Replaces a call or invoke by another one with the same arguments, operand bundles, attributes, metadata, calling
   convention, debug location and name.
   Requires: a function that verifies. Guarantees: it still verifies if the new callee takes the arguments. */
#pragma once

#include "base/arena.h"
#include "llvm-c/Core.h"

/* How the new call differs from the old one. */
struct call_changes {
  LLVMValueRef callee;        /* a function; NULL: the same callee */
  LLVMValueRef last_argument; /* an argument after those of the old call; NULL: none */
  const char *dropped;        /* an enum attribute that the new call does not have; NULL: none */
  bool never_unwinds;         /* an invoke becomes a call and a branch to the normal destination */
};

/* Returns the new call; NULL: out of memory. With never_unwinds the call has no !prof, which has weights of the edges,
   and phis of the unwind destination still have an entry for the block: see prune_after_edges_were_removed. */
LLVMValueRef rebuild_call(struct coro_arena *arena, LLVMValueRef call, const struct call_changes *changes);
