/* Everything known of one coroutine on its way through the lowering, stage by stage.
   Needs: a module whose functions verify. Leaves: filled by the stages in the order of the members. */
#ifndef CORO_CORO_LOWERING_H
#define CORO_CORO_LOWERING_H

#include "base/diag.h"
#include "coro/alloca.h"
#include "coro/crossing.h"
#include "coro/frame.h"
#include "coro/live.h"
#include "coro/remat.h"
#include "coro/storage.h"
#include "ir/size.h"
#include "ir/text.h"

struct emit_scratch;

struct coro_lowering {
  LLVMModuleRef module;
  LLVMContextRef context;
  LLVMTargetDataRef layout;
  struct ir_sizes *sizes; /* of types, by that layout */
  const struct intrin_table *table;
  struct coro_arena *arena;
  coro_diags *diags;

  struct ir_fn fn;
  struct coro_shape shape;
  struct coro_cfg cfg;
  struct coro_crossing crossing;
  struct coro_allocas allocas;
  struct coro_remat remat;
  struct coro_storage storage;
  struct coro_frame frame;
  struct coro_live live;
  const struct coro_debug *debug; /* NULL: the function has no debug information */

  struct ir_text *text; /* of the function's values, once an ABI was asked about them */
  struct emit_scratch *scratch; /* of the emission; NULL before the first part */
  LLVMValueRef *clones; /* the functions made, in the order that the ABI gives them; none where there is no suspend */
  uint32_t clone_count;
};

/* Reports what is wrong with instruction `inst` (IR_NONE: with the function); returns EREJECTED. */
coro_status coro_reject(const struct coro_lowering *low, const char *rule, uint32_t inst, const char *message,
                        const char *hint);

#endif
