/* The pieces of a trace.
   Needs: trace. Leaves: only pass/trace*.c includes it. */
#ifndef CORO_PASS_TRACE_PARTS_H
#define CORO_PASS_TRACE_PARTS_H

#include "pass/trace.h"

enum value_kind {
  VALUE_HANDLE,    /* what its cell holds */
  VALUE_INSIDE,    /* an address in the frame */
  VALUE_AGGREGATE, /* one of its fields is what the cell holds */
  VALUE_OBJECT     /* the address of an object, plus an offset */
};

#define VALUE_SOMEWHERE INT64_MIN /* an offset that is not known */

struct trace_value {
  LLVMValueRef value;
  enum value_kind kind;
  uint16_t cell;
  int64_t offset;
  uint32_t object;
  unsigned field; /* of an aggregate */
};

enum access_kind {
  ACCESS_LOAD,
  ACCESS_STORE,
  ACCESS_COPY_FROM,
  ACCESS_COPY_TO,
  ACCESS_FILL,
  ACCESS_CALL,
  ACCESS_FORGET
};

struct access { /* by which an instruction uses an object */
  LLVMValueRef at;
  enum access_kind kind;
  uint32_t object;
  int64_t offset;
  uint64_t size; /* UINT64_MAX: not known */
  LLVMValueRef callee; /* of ACCESS_CALL */
  unsigned parameter;
};

const struct trace_value *trace_known(const struct trace *t, LLVMValueRef value); /* NULL: it is not */
bool trace_learn(struct trace *t, struct trace_value value);
bool trace_share(struct trace *t, LLVMValueRef at, uint16_t cell, const char *what);
bool trace_new_cell(struct trace *t, struct cell cell, uint16_t *number); /* TRACE_NONE: there are too many */
bool trace_cell_for(struct trace *t, LLVMValueRef value, uint16_t *cell); /* likewise */

/* In trace_effect.c: what a call does to the handle that it is given, or to the slot of an object. */
bool trace_handle_given(struct trace *t, const struct trace_value *v, LLVMValueRef call, LLVMValueRef callee,
                        unsigned parameter);
bool trace_slot_given(struct trace *t, const struct access *access, uint16_t slot);
/* Whether it keeps the address of an object. */
bool trace_address_kept(struct trace *t, LLVMValueRef call, LLVMValueRef callee, unsigned parameter, bool *kept);

/* In trace_object.c. */
bool trace_expose(struct trace *t, uint32_t object, LLVMValueRef at);
bool trace_access(struct trace *t, struct access access);

/* In trace_call.c. */
bool trace_used_by_call(struct trace *t, const struct trace_value *v, LLVMValueRef call);
bool trace_object_given(struct trace *t, const struct trace_value *v, LLVMValueRef call);

#endif
