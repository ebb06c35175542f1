/* Exceptional exits of a function: instructions at which control may leave it without a CFG edge, by an exception or
   non-locally (nonlocal_exits). Such an instruction is a call, an invoke, or a catchswitch that unwinds to the caller.
   An exception leaves at an invoke only if the landing pad does not catch all. Two functions inspect f.resume. Overview
   and terms: handle_trace.h.
   Requires: nonlocal_exits of the run; clones. check_resume_keeps_frame_private: a trace, for its run and queries.
   Guarantees: the functions are unchanged. */
#pragma once

#include "base/map.h"
#include "handles/handle_trace.h"
#include "handles/nonlocal_exits.h"
#include "run/intrinsic_calls.h"

struct exceptional_exits {
  bool no_exception; /* no exception leaves the function: it is `nounwind`, or the program's main */
  struct nonlocal_exits *nonlocal; /* of the pipeline */
  struct coro_map blocks; /* block -> block_may_exit_exceptionally, computed on demand */
};

void exceptional_exits_init(struct exceptional_exits *exits, struct pass_run *run, LLVMValueRef function);
bool may_exit_exceptionally(struct exceptional_exits *exits, LLVMValueRef instruction);
/* Whether an instruction of the block may exit so. */
bool block_may_exit_exceptionally(struct exceptional_exits *exits, LLVMBasicBlockRef block);
/* Whether f.resume has no exceptional exit; false if it has more than 1,000 instructions. Uses only exits->nonlocal. */
bool resume_never_exits_exceptionally(struct exceptional_exits *exits, const struct clones *clones);
/* Whether an elided frame stays private: f.resume lets its address escape nowhere. False: out of memory. */
bool check_resume_keeps_frame_private(struct trace *trace, const struct clones *clones, bool *private_frame);
