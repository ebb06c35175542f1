/* Moves the functions that a small wave optimizes to a separate *work module* while one LLVM pipeline runs. An LLVM
   pipeline costs time for each function of its module, even if all passes skip it: the lazy call graph scans all
   bodies. A wave concerns few functions. Their basic blocks are moved, not copied, to functions of the same name in a
   second module of the same LLVMContext. Callees that the inliner may inline are moved as well and are `optnone` there;
   all other functions are declarations (work_declaration.h). Global variables stay in the home
   module, and both modules refer to them, which the verifier would reject.
   Requires: LLVM-C.
   Guarantees: after work_module_end the bodies are back in their module, with LLVM's changes. The cost is proportional
   to the instructions of the moved functions and the uses of what they refer to. */
#pragma once

#include "base/map.h"
#include "run/intrinsic_calls.h"

struct moved_function {
  LLVMValueRef home; /* the function at home, without a body while the work module exists */
  bool only_for_inlining;     /* an inlining candidate only: `optnone` was added */
};

struct counterpart {
  LLVMValueRef home; /* a function or alias */
  const char *name;  /* name of the counterpart, which LLVM may delete */
};

/* an initializer that refers to functions with bodies, which the lazy call graph would visit */
struct hidden_initializer {
  LLVMValueRef global, initializer;
};

struct work_module {
  struct coro_arena *arena;
  LLVMModuleRef home, work;
  LLVMBuilderRef builder;       /* unpositioned: creates instructions outside of blocks */
  struct coro_map made;         /* home function or alias -> counterpart */
  /* moved functions first, in order; after work_module_end, `home` is NULL if LLVM deleted it */
  CORO_VEC(struct counterpart) counterparts;
  struct coro_map seen; /* visited constants */
  CORO_VEC(struct moved_function) moved;
  CORO_VEC(struct hidden_initializer) hidden;
  const char *held; /* name of the variable that holds declarations, or NULL */
  bool failed; /* out of memory */
};

/* Whether all functions can be moved: a blockaddress ties a block to its function. */
bool work_module_can_hold_functions(const pass_values *functions);
/* Moves the functions, and (with_callees) callees that LLVM may inline. False: out of memory; call work_module_end
   nevertheless. */
bool work_module_begin(struct work_module *w, struct coro_arena *arena, LLVMModuleRef home,
                       const pass_values *functions, bool with_callees);
/* Moves the functions back to the home module. False: out of memory; discard the module. */
bool work_module_end(struct work_module *w);
