/* Points-to and escape analysis of a coroutine handle within one function, flow-insensitive: values that may be the
   handle, slots of objects that hold it, and uses by which it may escape.
   Requires: ir, clones.
   Guarantees: the function is unchanged; arrays in the run's arena. The cost is proportional to the uses of the handle
   and of the objects that hold it. */
#ifndef CORO_HANDLES_HANDLE_TRACE_H
#define CORO_HANDLES_HANDLE_TRACE_H

#include "ir/size.h"
#include "run/clones.h"
#include "run/intrinsic_calls.h"

/* the content of a cell; HOLDS_MAYBE: the handle, or another value */
enum holds { HOLDS_OTHER, HOLDS_HANDLE, HOLDS_MAYBE, HOLDS_NULL };

enum { TRACE_CELLS = 24, TRACE_NONE = 0xffff };

/* Summary of a callee's effect on a handle, or on an object that holds one, passed to it. */
struct effect {
  bool escapes; /* it may escape */
  bool frees; /* it escapes only because its memory may be freed */
  bool accesses_before_frame; /* accesses memory before the frame, as an allocator does */
  bool ends; /* the coroutine is destroyed on every return */
  bool throws; /* it may throw before the coroutine is destroyed */
  bool resumes;
  enum holds result;  /* of the returned value, or of its field */
  unsigned field;     /* TRACE_NONE: the value itself */
  bool writes;        /* may write to the slot */
  enum holds after;   /* content, on return, of the slot that held the handle */
};

/* ARGUMENT_ADDRESS: of an object, whatever it holds */
enum argument_kind { ARGUMENT_HANDLE, ARGUMENT_FRAME_ADDRESS, ARGUMENT_OBJECT, ARGUMENT_ADDRESS };

struct trace;
/* Provides the summary of a callee. False: out of memory. */
typedef bool trace_query(struct trace *trace, LLVMValueRef callee, unsigned parameter, enum argument_kind kind,
                         int64_t offset, struct effect *effect);

struct cell { /* an abstract location that may hold the handle: a value, or a slot of an object */
  LLVMValueRef value; /* NULL: a slot */
  uint32_t object;
  int64_t offset;
};

struct object { /* memory that does not escape: an alloca, or the memory of a parameter */
  LLVMValueRef base;
  LLVMValueRef exposed; /* the instruction by which its address escapes after all; NULL: none */
};

enum trace_kind { /* in the order of effects within one instruction */
                  TRACE_TAIL, /* an address in the frame is an argument of a musttail call */
                  TRACE_ESCAPE, /* the handle in the cell escapes */
                  TRACE_RESUME,
                  TRACE_RETURN,
                  TRACE_END, /* the coroutine ends */
                  TRACE_START,
                  TRACE_SET /* the cell is assigned a value, another cell, or a constant */
};

struct trace_event {
  LLVMValueRef at;
  uint32_t position; /* of `at` in program order, set by the walk, which sorts the events */
  uint32_t number;
  enum trace_kind kind;
  uint16_t cell; /* TRACE_NONE: an address in the frame, equivalent to the handle */
  uint16_t from; /* of TRACE_SET; TRACE_NONE: not a cell */
  LLVMValueRef value, other; /* of TRACE_SET; `other` is the second operand of a select */
  enum holds constant; /* of TRACE_SET with neither */
  /* TRACE_SET: a weak update; TRACE_END: not on the unwind edge; TRACE_RESUME: the instruction has other effects as
     well */
  bool weak;
  bool by_callee; /* TRACE_SET: applies if the cell held the handle; otherwise the cell becomes unknown */
  unsigned field; /* of TRACE_RETURN */
  const char *what; /* of TRACE_ESCAPE: a description */
};

struct trace {
  struct pass_run *run;
  LLVMValueRef function;
  const struct clones *clones; /* of the coroutine; NULL: unknown */
  LLVMValueRef start; /* the ramp call that creates it; NULL: begun in the function, or a parameter */
  uint64_t start_writes; /* bit set of arguments that point to memory where it stores the handle */
  uint64_t start_keeps; /* those whose address the coroutine keeps */
  bool takes_parameters; /* memory of byval-like parameters is an object too */
  trace_query *query;
  void *user; /* of the provider of summaries */
  struct ir_sizes sizes;
  struct coro_map known; /* value -> index in values, plus 1 */
  CORO_VEC(struct trace_value) values;
  CORO_VEC(struct cell) cells;
  CORO_VEC(struct object) objects;
  CORO_VEC(struct access) accesses;
  CORO_VEC(struct trace_event) events;
  pass_values destroys; /* direct calls of f.destroy */
  bool accesses_before_frame; /* memory before the frame is accessed */
  bool merged_by_phi; /* a phi merges an address in the frame, and may hold that of an earlier iteration's coroutine */
};

void trace_init(struct trace *trace, struct pass_run *run, LLVMValueRef function);
/* Adds a root before trace_follow. False: out of memory. */
bool trace_add_handle(struct trace *trace, LLVMValueRef value, uint16_t *cell);
bool trace_add_frame_address(struct trace *trace, LLVMValueRef value);
bool trace_add_aggregate_member(struct trace *trace, LLVMValueRef aggregate, unsigned field, uint16_t *cell);
/* Adds a slot at an address; *cell is TRACE_NONE if its memory cannot be tracked. */
bool trace_add_slot(struct trace *trace, LLVMValueRef address, int64_t offset, uint16_t *cell);
bool trace_add_object(struct trace *trace, LLVMValueRef address); /* memory of a parameter */
bool trace_add_event(struct trace *trace, struct trace_event event);
bool trace_follow(struct trace *trace); /* propagates to a fixed point */
/* What a call may do with the memory at an address that it receives: capture the address, or write there. */
bool trace_address_effect(struct trace *trace, LLVMValueRef call, LLVMValueRef callee, unsigned parameter,
                          bool *captures, bool *writes);
/* Whether the function may write to its first object, unless the address escapes. */
bool trace_object_may_be_written(struct trace *trace, bool *writes);
/* One of the instructions that uses the handle, or an address in the frame; NULL: none. */
LLVMValueRef trace_used_in(const struct trace *trace, const struct coro_map *instructions);
/* The cell of a value; TRACE_NONE: none. */
uint16_t trace_cell(const struct trace *trace, LLVMValueRef value);

#endif
