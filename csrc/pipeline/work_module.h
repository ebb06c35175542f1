/* Moves the functions that a wave optimizes into a module of their own, for as long as one LLVM pipeline runs.

   An LLVM pipeline costs time for each function of its module, whatever the pass manager skips: the lazy call graph
   scans all bodies. A wave of a CGSCC pipeline concerns a few functions. They are moved, not copied: their basic blocks
   are unlinked and appended to functions of the same name in a second module in the same LLVMContext. Callees that the
   inliner may want move too and are `optnone` there; every other function is a declaration. Global variables stay where
   they are, and both modules refer to them.
   Requires: LLVM-C.
   Guarantees: after work_module_end the bodies are in their own module again, with the changes that LLVM made. The cost
   follows the instructions of the moved functions. */
#ifndef CORO_PIPELINE_WORK_MODULE_H
#define CORO_PIPELINE_WORK_MODULE_H

#include "base/map.h"
#include "pass/calls.h"

struct moved_function {
  LLVMValueRef home; /* the function in its own module, without a body while this exists */
  bool shielded;     /* only a candidate for inlining: `optnone` was added */
};

struct counterpart {
  LLVMValueRef home; /* a function or alias */
  const char *name;  /* of its function in the work module, which LLVM may delete */
};

struct hidden_initializer { /* it refers to functions with a body, which the lazy call graph would follow */
  LLVMValueRef global, initializer;
};

struct work_module {
  struct coro_arena *arena;
  LLVMModuleRef home, work;
  LLVMBuilderRef builder;       /* not positioned: makes instructions outside of any block */
  struct coro_map made;         /* function or alias at home -> its function in the work module */
  CORO_VEC(struct counterpart)
  counterparts; /* first those of the moved functions, in their order; after
                                                work_module_end, `home` is NULL where LLVM deleted it */
  struct coro_map seen;         /* constants that were visited  */
  CORO_VEC(struct moved_function) moved;
  CORO_VEC(struct hidden_initializer) hidden;
  bool failed;                  /* memory ran out */
};

/* Whether all of the functions can be moved: the address of a block ties it to its function. */
bool work_module_fits(const pass_values *functions);
/* Moves the functions. False: memory ran out; work_module_end must be called all the same. */
bool work_module_begin(struct work_module *w, struct coro_arena *arena, LLVMModuleRef home,
                       const pass_values *functions);
/* Moves them back. False: memory ran out, and the module is to be thrown away. */
bool work_module_end(struct work_module *w);

#endif
