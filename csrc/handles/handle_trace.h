/* Points-to and escape analysis of a coroutine handle within one function: values and slots that may hold the handle,
   and uses that may let it escape. The trace is flow-insensitive: a worklist over def-use chains collects events;
   handle_walk gives them an order.
   Requires: ir, clones; a provider of summaries (handle_effects).
   Guarantees: the function is unchanged; arrays in the run's arena. Cost: the uses of the handle and of the objects
   that hold it, times the slots of an object, plus the queries of callees.

   Overview of csrc/handles. A coroutine is elided, its frame an alloca of its creator, if on every path it has ended,
   or its handle is unreachable, before the creator exits or creates it again. The files, from the lowest:
   - nonlocal_exits: calls that may leave a function by longjmp; reachable_code: instructions reachable from another;
   - handle_trace: events that concern the handle;
   - exceptional_exits: exits of a function without a CFG edge, by an exception or non-locally;
   - handle_walk: the effects of the events along paths;
   - handle_effects: trace and walk of callees, from a parameter. The trace queries it through trace_query;
   - ramp: trace and walk of ramps, from coro.begin: the places of the handle when a ramp returns;
   - handle_summary, export_summaries, imported_coroutines: summaries of ramps across modules.
   The other files serve to change the IR: elided_frame (the alloca), noalloc (the ramp that takes a frame),
   header_function (direct calls of clones), awaiter_attributes (of await_suspend).

   Clients, in the order of passes. coro-early and coro-annotation-elide elide calls marked coro_elide_safe, of imported
   and of other coroutines. The frontend guarantees that these can be elided. coro-elide decides about all others:
   csrc/elide uses ramp, trace and walk. coro-cleanup exports summaries and removes metadata. csrc/cgscc uses ramp to
   select functions to visit again.

   Terms. The handle is the pointer that coro.begin returns. A frame address is another pointer into the frame, or an
   integer computed from one. A cell is an SSA value or a slot that may hold the handle; a slot is a pointer at a
   constant offset of an object. An object is memory that the trace follows: a static alloca, the memory of the queried
   parameter of a callee, or, with tracks_parameter_memory, that of `noalias` and `sret` parameters. The handle escapes
   if unknown code may have it; an object is exposed if its address escapes. The handle is unreachable at an exit if it
   has not escaped; at a second creation no cell may hold it, either. A coroutine is created by coro.begin and ends when
   it is destroyed. The ramp, f.resume, f.destroy and f.cleanup (destroys, but does not free) are in run/clones.h.

   Lifetime. A client creates `handle_effects` and `ramps` for one visit of a function, and meanwhile modifies only this
   function, only by elision. `nonlocal_exits` lives as long as the pipeline, which resets it after changes.
   Limits. Whatever exceeds a limit gets the pessimistic answer: the handle escapes, the coroutine is not elided. The
   order of queries, which may matter then, is program order.
   Errors. A function that returns bool and writes a result through a pointer returns false only if memory is exhausted.
   A query that returns its answer then gives the pessimistic one; the arena records the failure. */
#pragma once

#include "ir/size.h"
#include "run/clones.h"
#include "run/intrinsic_calls.h"

/* the content of a cell */
enum holds {
  HOLDS_OTHER, /* not the handle; possibly null */
  HOLDS_HANDLE,
  HOLDS_MAYBE, /* the handle, or another value */
  HOLDS_NULL /* certainly null: decides branches on null tests */
};

enum { TRACE_CELLS = 24 }; /* limit of cells; the handle escapes by a use that needs one more */
enum {
  TRACE_NO_CELL = 0xffff, /* not a cell: too many cells, untracked memory, or another value */
  /* instead of an event's cell, which is never TRACE_NO_CELL: the event concerns a frame address, and occurs whatever
     the cells hold */
  TRACE_EVERY_PATH = TRACE_NO_CELL,
  TRACE_WHOLE_VALUE = 0xffff /* instead of a field of an aggregate: the value itself */
};

/* Summary of a callee's effect on an argument: a handle, or an object that holds one. */
struct callee_effect {
  bool escapes; /* the handle may escape; ARGUMENT_OBJECT: it or the object's address; ARGUMENT_ADDRESS: the address */
  bool frees; /* for remarks: the callee captures nothing; `escapes` is set because it may free the argument's memory */
  bool accesses_below_frame; /* uses negative offsets from the frame address, as an allocator does */
  bool ends; /* the coroutine is destroyed on every return */
  bool throws; /* the callee may exit by an exception, or non-locally, before the coroutine is destroyed */
  bool resumes;
  /* content of the returned value, or of its field; ARGUMENT_ADDRESS: HOLDS_MAYBE if it may be an address in the
     object, which `escapes` does not include */
  enum holds result;
  unsigned field; /* of the result, or TRACE_WHOLE_VALUE */
  bool writes; /* may write to the slot; ARGUMENT_ADDRESS: to the object */
  enum holds after; /* with `writes`: content, on return, of the slot that held the handle */
};

enum argument_kind {
  ARGUMENT_HANDLE,
  ARGUMENT_FRAME_ADDRESS,
  ARGUMENT_OBJECT, /* an object whose slot at an offset from the argument holds the handle */
  ARGUMENT_ADDRESS /* an object, whatever it holds */
};

struct trace;
/* Provides the summary of a callee. False: out of memory. */
typedef bool trace_query(struct trace *trace, LLVMValueRef callee, unsigned parameter, enum argument_kind kind,
                         int64_t offset, struct callee_effect *effect);

struct trace_cell {
  LLVMValueRef value; /* NULL: a slot */
  uint32_t object; /* of a slot */
  int64_t offset; /* in the object */
};

struct trace_object {
  LLVMValueRef base; /* the alloca or parameter */
  LLVMValueRef exposed; /* the first use found that lets its address escape; NULL: it does not */
};

enum trace_kind { /* in the order of effects within one instruction */
                  TRACE_MUSTTAIL, /* a musttail call receives the handle or a frame address: elision is impossible */
                  TRACE_ESCAPE, /* the handle in the cell escapes */
                  TRACE_RESUME,
                  TRACE_RETURN,
                  TRACE_END, /* the coroutine ends */
                  TRACE_CREATE, /* added by the client: the coroutine is created, perhaps once more */
                  TRACE_SET /* the cell is assigned a value, another cell, or a constant */
};

struct trace_event {
  LLVMValueRef at;
  uint32_t position; /* of `at` in the function, set by the walk, which sorts the events */
  uint32_t number; /* order of addition, for events that are otherwise equal */
  enum trace_kind kind;
  uint16_t cell; /* the event occurs where it may hold the handle (TRACE_SET: the assigned cell); or TRACE_EVERY_PATH */
  bool has_other_effects; /* of TRACE_RESUME: the instruction may do more than resume */
  bool may_throw_first; /* of TRACE_END: on the unwind edge the coroutine has not ended */
  unsigned field; /* of TRACE_RETURN */
  const char *what; /* of TRACE_ESCAPE: a description */
  /* Of TRACE_SET: the source of the cell's new content. It is the first of these that is present: `from`, `value`,
     `constant`. For example, if %slot is an object:
       store ptr %h, ptr %slot                   cell: the slot, value: %h
       %x = load ptr, ptr %slot                  cell: %x, from: the slot
       %y = select i1 %c, ptr %h, ptr null       cell: %y, value: %h, other: null */
  uint16_t from; /* a cell; TRACE_NO_CELL: none */
  LLVMValueRef value; /* a value without a cell is HOLDS_OTHER, or HOLDS_NULL; NULL: none */
  LLVMValueRef other; /* a second value; its content is merged with that of `value`. NULL: none */
  enum holds constant;
  /* Of TRACE_SET: the source may have been overwritten, so HOLDS_HANDLE becomes HOLDS_MAYBE, and HOLDS_NULL becomes
     HOLDS_OTHER. With neither `from` nor `value`, the cell itself may have been overwritten. */
  bool weak;
  /* Of TRACE_SET: a callee changes the slot if it holds the handle. The new content is `constant` if the old one is
     HOLDS_HANDLE. Otherwise it is HOLDS_MAYBE if both may be the handle, else HOLDS_OTHER. */
  bool by_callee;
};

/* The client sets `clones`, the members ramp_call*, and tracks_parameter_memory. Then it adds roots, and events of the
   creation (TRACE_CREATE, TRACE_SET). Then it calls trace_follow_all_uses once. Zeros are valid defaults. */
struct trace {
  struct pass_run *run; /* with the arena and the budget */
  LLVMValueRef function;
  const struct clones *clones; /* of the coroutine; NULL: unknown */
  LLVMValueRef ramp_call; /* the call of the ramp that creates the coroutine; NULL: none in this function */
  /* Bit sets of arguments of the ramp call; those from 64 on are traced as arguments of an unknown function. */
  uint64_t ramp_call_stores; /* the ramp stores the handle in their memory */
  uint64_t ramp_call_exposes; /* ... and the coroutine keeps their address: the object is exposed */
  bool tracks_parameter_memory; /* memory of `noalias` and `sret` parameters is an object, too */
  /* For ARGUMENT_ADDRESS: every value that may be an address in the object is followed, whatever its offset: results of
     calls, phis, and loads from variables. */
  bool traces_address;
  trace_query *query;
  void *user; /* of `query` */
  struct ir_sizes sizes;
  struct coro_map known; /* value -> index in values, plus 1 */
  CORO_VEC(struct trace_value) values; /* handle_trace_internal.h */
  CORO_VEC(struct trace_cell) cells;
  CORO_VEC(struct trace_object) objects;
  CORO_VEC(struct trace_access) accesses;
  CORO_VEC(struct trace_event) events;
  pass_values destroys; /* direct calls of f.destroy, which become calls of f.cleanup if the frame is elided */
  bool accesses_below_frame; /* as in struct callee_effect */
  bool returns_address; /* with traces_address: the function may return an address in the object */
  bool frame_address_in_phi; /* a phi has a frame address: in a loop, perhaps one in the previous coroutine's frame */
};

void trace_init(struct trace *trace, struct pass_run *run, LLVMValueRef function);
/* Each adds a root, before trace_follow_all_uses. With too many cells *cell is TRACE_NO_CELL and nothing is added.
   False: out of memory. */
bool trace_add_handle_if_room(struct trace *trace, LLVMValueRef value, uint16_t *cell);
bool trace_add_frame_address(struct trace *trace, LLVMValueRef value);
bool trace_add_aggregate_member_if_room(struct trace *trace, LLVMValueRef aggregate, unsigned field, uint16_t *cell);
/* Adds a slot at an address; *cell is also TRACE_NO_CELL if its memory cannot be tracked. */
bool trace_add_slot(struct trace *trace, LLVMValueRef address, int64_t offset, uint16_t *cell);
bool trace_add_parameter_object(struct trace *trace, LLVMValueRef address); /* the memory of a parameter */
bool trace_add_event(struct trace *trace, struct trace_event event);
bool trace_follow_all_uses(struct trace *trace); /* propagates to a fixed point */
struct address_effect { /* what a call may do with an address that it receives, and with the memory there */
  bool captures; /* other than by returning it */
  bool returns; /* returns it, or another address in the object */
  bool writes;
};
bool trace_address_effect(struct trace *trace, LLVMValueRef call, LLVMValueRef callee, unsigned parameter,
                          struct address_effect *effect);
/* The function that receives the arguments of a call: the await intrinsics pass their first two operands to another
   one. */
LLVMValueRef trace_callee_or_await_function(const struct trace *trace, LLVMValueRef call);
/* Whether the function may write to objects[0], the memory of the queried parameter; valid if it is not exposed. */
bool trace_check_may_write_first_object(struct trace *trace, bool *writes);
/* An instruction of the set that uses the handle or a frame address, or the traced address; NULL: none. */
LLVMValueRef trace_find_use_among(const struct trace *trace, const struct coro_map *instructions);
/* The cell of a value; TRACE_NO_CELL: none. */
uint16_t trace_cell_of_value_or_none(const struct trace *trace, LLVMValueRef value);
