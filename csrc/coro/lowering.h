/* Everything known of one coroutine on its way through the lowering, stage by stage.
   Needs: a module whose functions verify. Leaves: filled by the stages in the order of the members. */
#ifndef CORO_CORO_LOWERING_H
#define CORO_CORO_LOWERING_H

#include "base/diag.h"
#include "coro/alloca.h"
#include "coro/crossing.h"
#include "coro/frame.h"
#include "coro/live.h"
#include "coro/reads.h"
#include "coro/remat.h"
#include "coro/storage.h"
#include "coro/unwound.h"
#include "ir/size.h"
#include "ir/text.h"

struct coro_abi;
struct pass_run;
struct emit_scratch;

struct coro_lowering {
  struct pass_run *run; /* which these are of: */
  LLVMModuleRef module;
  LLVMContextRef context;
  LLVMTargetDataRef layout;
  const struct intrin_table *table;
  struct coro_arena *arena;
  struct coro_budget *budget;
  coro_diags *diags;

  LLVMValueRef function;
  struct ir_sizes *sizes; /* of types, by that layout */
  bool share;             /* fields that are never live at once may have the same bytes */
  bool wants_live;        /* somebody asks where the fields are live */

  /* Each stage fills its own, and only reads those of the others. */
  struct ir_fn fn;
  struct coro_shape shape;
  const struct coro_abi *abi;
  uint32_t home; /* the argument that is the memory the frame is found by, known to every part; IR_NONE: none is */
  bool passes_error; /* every clone is passed a swifterror of its own */
  struct coro_unwound unwound;
  struct coro_cfg cfg;
  struct coro_crossing crossing;
  struct coro_allocas allocas;
  struct coro_storage storage;
  struct coro_remat remat;
  struct coro_frame frame;
  struct coro_reads reads;
  struct coro_live live;
  coro_coroutine_info *info;      /* for the report; NULL where nobody wants one */
  const struct coro_debug *debug; /* NULL: the function has no debug information */

  struct ir_text *text; /* of the function's values, once an ABI was asked about them */
  const struct coro_header_value *header_values; /* of the ABI's own header, where they are this coroutine's alone */
  const coro_candidate_info *candidate; /* likewise: what it was told before the frame was known */
  struct emit_scratch *scratch; /* of the emission; NULL before the first part */
  LLVMValueRef *clones; /* the functions made, in the order that the ABI gives them; none where there is no suspend */
  uint32_t clone_count;
};

/* The function's ids, which all stages speak of. */
coro_status coro_number(struct coro_lowering *low);
/* Without a frame and without a suspend there is nothing to lower: what is left of a coroutine that an optimiser has
   found to be unreachable. */
static inline bool coro_does_nothing(const struct coro_lowering *low)
{
  return low->shape.begin == IR_NONE && !low->shape.suspend_count;
}

/* Reports what is wrong with instruction `inst` (IR_NONE: with the function); returns EREJECTED. */
coro_status coro_reject(const struct coro_lowering *low, const char *rule, uint32_t inst, const char *message,
                        const char *hint);

#endif
