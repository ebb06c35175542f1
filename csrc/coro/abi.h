/* The seam between the lowering and an ABI: what differs between ABIs, and nothing more.
   Needs: lowering. Leaves: a table of functions for each ABI; csrc/abi holds those of LLVM's. */
#ifndef CORO_CORO_ABI_H
#define CORO_CORO_ABI_H

#include "coro/lowering.h"
#include "coro/policy.h"

struct hook_module;

struct coro_abi {
  const char *name;
  unsigned ids; /* that it lowers: a set of 1 << coro_abi_kind */
  bool returns; /* a suspend returns from the function, and so does an end: no part goes on behind either of them */
  bool ends_frame; /* an end gives the frame back; where it unwinds, the part goes on behind it */
  /* The rules of this ABI's id, suspends and ends; EREJECTED with a diagnostic. Runs before anything is changed. */
  coro_status (*check)(const struct coro_lowering *low);
  bool allocates; /* its emit_hooks allocate what llvm.coro.alloca.alloc asks for; else that is on the heap */
  /* The argument that is the memory which the frame is found by, known to every part; IR_NONE, or NULL: none is. */
  uint32_t (*home)(const struct coro_lowering *low);
  /* Whether every clone is passed a swifterror, which takes the place of the coroutine's own; NULL: none is. */
  bool (*passes_error)(const struct coro_lowering *low);
  /* Whether this musttail call can be the last one of every clone that comes by it, as their types and conventions
     are; NULL: none comes by one, as they return behind an end alone. */
  bool (*ends_clone)(const struct coro_lowering *low, uint32_t call);
  /* What can only be said of the control flow; NULL: nothing more. */
  coro_status (*check_flow)(const struct coro_lowering *low);
  /* What stands at the frame's start, and how its fields may be aligned. */
  void (*header)(const struct coro_lowering *low, struct coro_frame_header *header);
  /* What can only be said of the frame, once it is laid out; NULL: nothing more. */
  coro_status (*check_frame)(const struct coro_lowering *low);
  struct coro_policies policies; /* of an ABI of the caller's; all zero for any other */
  struct hook_module *hook_module; /* hooks of the ABI's own; NULL: none */
  bool each; /* every suspend has a part of its own that resumes it */
  /* What a report says beyond what is true of every coroutine, with strings in `arena`; NULL: nothing. */
  void (*describe)(const struct coro_lowering *low, struct coro_arena *arena, coro_coroutine_info *info);
  /* Makes the clones and the ramp. From here on nothing can fail but memory. */
  coro_status (*split)(struct coro_lowering *low);
};

#endif
