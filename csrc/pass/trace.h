/* Trace: where the handle of a coroutine may be in one function, and what happens to it there, whatever way control
   takes: values that are it, slots of variables that hold it, uses by which others may learn of it.
   Needs: ir, parts. Leaves: the function as it was; arrays in the run's arena. Costs what the handle and the variables
   that hold it have uses. */
#ifndef CORO_PASS_TRACE_H
#define CORO_PASS_TRACE_H

#include "ir/size.h"
#include "pass/calls.h"
#include "pass/parts.h"

enum holds { HOLDS_OTHER, HOLDS_HANDLE, HOLDS_MAYBE, HOLDS_NULL }; /* maybe: the handle, or anything else */

enum { TRACE_CELLS = 24, TRACE_NONE = 0xffff };

/* What a callee does with a handle, or with an object that holds one, that it is given. */
struct effect {
  bool kept;          /* others may know it from then on */
  bool frees;         /* kept only as its memory may be freed */
  bool in_front;      /* it looks at what is in front of the frame, as an allocator of its memory does */
  bool ends;          /* every return has destroyed it */
  bool throws;        /* an exception may leave it before that */
  bool resumes;
  enum holds result;  /* of what is returned, or of its field */
  unsigned field;     /* TRACE_NONE: the value itself */
  bool writes;        /* to the slot, what else than the handle it may have held */
  enum holds after;   /* of the slot that held it */
};

enum given { GIVEN_HANDLE, GIVEN_INSIDE, GIVEN_OBJECT, GIVEN_ADDRESS }; /* the last: of an object, whatever it holds */

struct trace;
/* Asked of every callee that is given something. False: memory ran out. */
typedef bool trace_asks(struct trace *trace, LLVMValueRef callee, unsigned parameter, enum given given, int64_t offset,
                        struct effect *effect);

struct cell { /* a place that may hold the handle: a value, or a slot of a variable */
  LLVMValueRef value; /* NULL: a slot */
  uint32_t object;
  int64_t offset;
};

struct object { /* memory that nobody else knows the address of: a variable, or what a parameter points to */
  LLVMValueRef base;
  LLVMValueRef exposed; /* by which instruction others may know its address after all; NULL: by none */
};

enum trace_kind { /* in the order in which they happen at one instruction */
                  TRACE_TAIL, /* its frame is an argument of a call that must be a tail call */
                  TRACE_SHARE, /* others may know the handle that the cell holds */
                  TRACE_RESUME,
                  TRACE_RETURN,
                  TRACE_END, /* the coroutine is over */
                  TRACE_START,
                  TRACE_SET /* the cell gets what a value, another cell, or the constant holds */
};

struct trace_event {
  LLVMValueRef at;
  uint32_t place; /* of `at` in the function, in program order */
  uint32_t number;
  enum trace_kind kind;
  uint16_t cell; /* TRACE_NONE: an address in the frame, which is as much as the handle */
  uint16_t from; /* of TRACE_SET; TRACE_NONE: not from a cell */
  LLVMValueRef value, other; /* of TRACE_SET; `other` is the second value of a select */
  enum holds constant; /* of TRACE_SET from neither */
  bool weak; /* of TRACE_SET: or it stays as it was; of TRACE_END: not where the instruction unwinds; of TRACE_RESUME:
                the instruction does more than that */
  bool by_callee; /* of TRACE_SET: if the cell held the handle; if not, nobody knows what it holds then */
  unsigned field; /* of TRACE_RETURN */
  const char *what; /* of TRACE_SHARE, in words */
};

struct trace {
  struct pass_run *run;
  LLVMValueRef function;
  const struct parts *parts; /* of the coroutine; NULL: not known */
  LLVMValueRef start; /* the call of the ramp that starts it; NULL: begun in the function, or given to it */
  uint64_t start_writes; /* its arguments, by bit, that point to where it stores the handle */
  uint64_t start_keeps; /* those of them that the coroutine knows of from then on */
  bool takes_parameters; /* a parameter that points to memory of its own is an object too */
  trace_asks *ask;
  void *user; /* of whoever asks */
  struct ir_sizes sizes;
  struct coro_map known; /* value -> index in values, plus 1 */
  CORO_VEC(struct trace_value) values;
  CORO_VEC(struct cell) cells;
  CORO_VEC(struct object) objects;
  CORO_VEC(struct access) accesses;
  CORO_VEC(struct trace_event) events;
  pass_values destroys; /* calls of f.destroy itself */
  bool in_front; /* something looks at what is in front of the frame */
  bool goes_round; /* an address in the frame is merged with others, and may be that of an older one in a loop */
};

void trace_init(struct trace *trace, struct pass_run *run, LLVMValueRef function);
/* Seeds, before trace_follow. False: memory ran out. */
bool trace_seed_handle(struct trace *trace, LLVMValueRef value, uint16_t *cell);
bool trace_seed_inside(struct trace *trace, LLVMValueRef value);
bool trace_seed_field(struct trace *trace, LLVMValueRef aggregate, unsigned field, uint16_t *cell);
/* A slot behind an address; *cell TRACE_NONE: it is in no memory that can be followed. */
bool trace_seed_slot(struct trace *trace, LLVMValueRef address, int64_t offset, uint16_t *cell);
bool trace_seed_object(struct trace *trace, LLVMValueRef address); /* of a parameter */
bool trace_add(struct trace *trace, struct trace_event event);
bool trace_follow(struct trace *trace); /* everything that there is to find */
/* One of these instructions that uses the handle, or an address in the frame; NULL: none does. */
LLVMValueRef trace_used_in(const struct trace *trace, const struct coro_map *instructions);
/* The cell that a value is; TRACE_NONE: it is none. */
uint16_t trace_cell(const struct trace *trace, LLVMValueRef value);

#endif
