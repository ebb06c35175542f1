/* Internal declarations of the handle trace.
   Requires: handle_trace. Only handles/handle_trace*.c includes it. */
#pragma once

#include "handles/handle_trace.h"

enum value_kind {
  VALUE_HANDLE, /* the content of its cell */
  VALUE_FRAME_ADDRESS, /* an address in the frame */
  VALUE_AGGREGATE, /* one of its fields is the content of the cell */
  VALUE_OBJECT /* the address of an object plus an offset */
};

#define VALUE_UNKNOWN_OFFSET INT64_MIN

struct trace_value {
  LLVMValueRef value;
  enum value_kind kind;
  uint16_t cell; /* of a frame address: the handle's, or TRACE_EVERY_PATH */
  int64_t offset; /* from the handle, or from the object */
  uint32_t object;
  unsigned field; /* of an aggregate */
};

enum access_kind {
  ACCESS_LOAD,
  ACCESS_STORE,
  ACCESS_COPY_FROM, /* source of memcpy or memmove */
  ACCESS_COPY_TO,
  ACCESS_FILL, /* memset */
  ACCESS_CALL, /* the callee receives an address */
  ACCESS_FORGET /* start or end of the lifetime */
};

struct trace_access { /* an access of an instruction to an object */
  LLVMValueRef at;
  enum access_kind kind;
  uint32_t object;
  int64_t offset; /* in the object */
  uint64_t size; /* UINT64_MAX: unknown */
  LLVMValueRef callee; /* of ACCESS_CALL */
  unsigned parameter;
};

const struct trace_value *trace_find_value(const struct trace *t, LLVMValueRef value); /* NULL: none */
bool trace_add_value_or_merge_escape(struct trace *t, struct trace_value value);
bool trace_add_escape(struct trace *t, LLVMValueRef at, uint16_t cell, const char *what);
bool trace_add_cell_if_room(struct trace *t, struct trace_cell cell, uint16_t *number);

/* Adds events for the effect of a call on a handle or frame address that it receives, or on the slot of an object. */
bool trace_apply_call_effect_on_handle(struct trace *t, const struct trace_value *v, LLVMValueRef call,
                                       LLVMValueRef callee, unsigned parameter);
bool trace_apply_call_effect_on_slot(struct trace *t, const struct trace_access *access, uint16_t slot);

/* In handle_trace_object.c: marks the object as exposed; adds an access, with events for the object's slots. */
bool trace_mark_object_exposed(struct trace *t, uint32_t object, LLVMValueRef at);
bool trace_add_access(struct trace *t, struct trace_access access);
