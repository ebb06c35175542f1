/* All data about one coroutine during its lowering. A coroutine is split into a *ramp*, which keeps its name and starts
   it, and *clones*, which continue it: f.resume, f.destroy and f.cleanup, or a continuation for each suspend. f.noalloc
   is a variant of the ramp and not a clone. The stages in this directory are analyses and decisions: they read the
   presplit function and never change it. csrc/split runs them in the order of stages.def, then csrc/emit writes the
   clones; csrc/debug rewrites debug information.
   Requires: a module that verifies.
   Guarantees: members are filled in the order of the stages.

   Overview of csrc/lowering. It answers which values and memory must survive a suspend, and where they are meanwhile:
   1. number, shape, cfg (csrc/analysis): ids; the coroutine's own llvm.coro.* calls; the CFG, whose nodes are fragments
      of blocks, and a landing per suspend: the head of what a clone executes when resumed (cfg.h). select_abi
      (csrc/split) is between shape and cfg;
   2. crossing: epochs, and SSA values that are live across a suspend;
   3. frame_allocas, alloca_intrinsics: memory in the frame, on the stack, or on the heap;
   4. remat: the values of 2 that are rematerialized; the others are spilled;
   5. fields: a field per spilled value and frame-resident alloca; reload_points: where clones reload;
   6. field_liveness, layout: offsets; fields may share bytes.
   stages.def has the exact order, with the checks between them. After a stage has failed the others do not run. Errors
   are ENOMEM (also if the budget cancels the run), EREJECTED (by a check, or a choice of a custom ABI that is not
   possible) and ECALLBACK (by an ABI's policy). The lowering of a coroutine with neither frame nor suspend ends after
   `shape`. In debug builds stage_postconditions.c asserts what each stage guarantees to the next ones and to csrc/emit.
   csrc/emit stores a spilled value after its definition: an invoke's on the normal edge, a phi's after the last phi of
   the block. Arguments, and values computed before coro.begin, are stored after coro.begin. A use in the epoch of the
   definition gets the SSA value. For other uses the value is reloaded at coro_reload_point_or_region_for_node, or
   rematerialized. Allocas are where alloca.h says. Too many live values, too long live ranges and too early reload
   points cost only bytes or time; too few, too short or too late can be bugs. All results are in the arena, until
   the lowering ends. */
#pragma once

#include "base/diag.h"
#include "ir/size.h"
#include "ir/text.h"
#include "lowering/alloca.h"
#include "lowering/alloca_intrinsics.h"
#include "lowering/crossing.h"
#include "lowering/field_liveness.h"
#include "lowering/frame.h"
#include "lowering/reload_points.h"
#include "lowering/remat.h"

struct check_witness;
struct coro_abi;
struct layout_strategy;
struct pass_run;
struct emit_scratch;

struct coro_lowering {
  struct pass_run *run; /* the members up to `diags` are copies of its members */
  LLVMModuleRef module;
  LLVMContextRef context;
  LLVMTargetDataRef layout;
  const struct intrin_table *table;
  struct coro_arena *arena;
  struct coro_budget *budget;
  coro_diags *diags;

  LLVMValueRef function;
  struct ir_sizes *sizes; /* sizes of types in that layout */
  const struct layout_strategy *strategy; /* by the parameter of coro-split; a policy of the ABI has precedence */
  bool wants_live; /* live ranges are computed: for sharing bytes, or for a report; a policy may need them, too */
  bool validates_result; /* csrc/check is to check the emitted clones */

  /* Results of the stages. A comment names the file that computes the member, if that is not named after the stage. A
     stage only reads the results of others, but `layout` sets offsets and size in `frame`. */
  struct ir_fn fn; /* number: lowering.c, after split/normalize.c (prepare) */
  struct coro_shape shape;
  const struct coro_abi *abi; /* split/select_abi.c; also frame_argument and passes_error */
  uint32_t frame_argument; /* the argument that gives every clone the frame; IR_NONE: none */
  bool passes_error; /* every clone has a swifterror parameter */
  struct coro_cfg cfg;
  struct coro_crossing crossing;
  struct coro_allocas allocas; /* alloca.c */
  struct coro_alloca_intrinsics alloca_intrinsics;
  struct coro_remat remat;
  struct coro_frame frame; /* fields: frame.c; offsets, layout: layout.c */
  struct coro_reload_points reload_points;
  struct coro_field_liveness field_liveness;
  coro_coroutine_info *info; /* describe, publish: split/describe.c; NULL if not requested */
  const struct coro_debug *debug; /* NULL: the function has no debug information */

  struct ir_text *text; /* texts of the function's values, if a policy requested them */
  /* initial values of a custom ABI's header that are specific to this coroutine, by its policy `header` */
  const struct coro_header_value *header_values;
  const coro_candidate_info *candidate; /* description given to policies before the frame is known */
  struct check_witness *witness; /* NULL if the result is not checked */
  /* An instruction that one function only contains, or the ramp after all clones, is moved there instead of copied:
     abi/split.c decides. Presplit instructions then have operands of that function. */
  bool moves_instructions;
  LLVMBasicBlockRef ramp_entry; /* first block of the ramp, while the function still has its presplit blocks, too */
  struct emit_scratch *scratch; /* memory of the emission; NULL before the first clone */
  LLVMValueRef *clones; /* split: split/split.c; in the ABI's order; none without a suspend */
  uint32_t clone_count;
};

coro_status coro_run_number_stage(struct coro_lowering *low);
coro_status coro_run_shape_stage(struct coro_lowering *low);
coro_status coro_run_cfg_stage(struct coro_lowering *low);
/* Makes `text` once for all descriptions, from LLVM's text of the definition; NULL: print it. False: out of memory. */
bool coro_split_text_once(struct coro_lowering *low, const char *printed);
/* Whether there is nothing to lower: neither frame nor suspend, as after an optimizer found them unreachable. */
static inline bool coro_does_nothing(const struct coro_lowering *low)
{
  return low->shape.begin == IR_NONE && !low->shape.suspend_count;
}

/* Reports an error about instruction `inst` (IR_NONE: about the function); returns EREJECTED. */
coro_status coro_reject(const struct coro_lowering *low, const char *rule, uint32_t inst, const char *message,
                        const char *hint);
/* Rejects a function that generated code must call but cannot: see edit_permits_generated_calls. `callee` describes it,
   such as "the allocator". */
coro_status coro_check_callable_by_generated_code(const struct coro_lowering *low, const char *rule, uint32_t inst,
                                                  LLVMValueRef called, const char *callee_description);
