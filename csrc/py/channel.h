/* Interface between Python and natively compiled functions: the channel that passes values, conversions, and the
   description of a function. src/pycoro/compiling emits IR for the same layout.
   Requires: state.h. */
#pragma once

#include "state.h"

union native_slot {
  int64_t integer; /* an int or bool, or the length of an array */
  double real;
  void *address;
};

struct native_standing {
  uintptr_t base; /* stack address at which the innermost coroutine was resumed */
  uintptr_t deep; /* stack bytes between `base` and the deepest recursive coroutine */
};

struct native_channel {
  void *current; /* the frame to resume next; NULL for a function that is no coroutine */
  int32_t status; /* NATIVE_FINE, NATIVE_THROWN, or a status that the native's `raise` understands */
  int32_t wants; /* at a suspend: NATIVE_NOTHING, NATIVE_SENT, or an index into the native's `python_calls` */
  int64_t depth; /* number of recursive calls still allowed */
  uintptr_t limit; /* stack address below which recursive calls are no longer allowed */
  struct native_standing *standing;
  struct native_contexts *contexts; /* contexts of the exception that is being raised; NULL: none */
  int32_t thrown_at; /* the site of the suspend that NATIVE_THROWN resumed; 0 for none */
  union native_slot slots[];
};

/* Statuses of exceptions; each exception is the __context__ of the one before it. An exception raised by a finally
   block has as its context the exception for which the finally block ran. */
struct native_contexts;

enum { NATIVE_FINE, NATIVE_THROWN };
enum { NATIVE_NOTHING, NATIVE_SENT, NATIVE_CALLS_PYTHON };

struct running; /* in running.h */

enum { NATIVE_SPARES = 4 };

enum native_kind { NATIVE_FUNCTION, NATIVE_GENERATOR, NATIVE_COROUTINE };

/* Format strings: l an int, d a float, ? a bool, n None, (...) a tuple. Parameters may also be arrays, *l *d *?
   (read) and &l &d &? (written), which use two slots. */
struct native_object {
  struct core_object base;
  void (*enter)(struct native_channel *); /* called with the arguments in the slots */
  enum native_kind kind;
  Py_ssize_t slots, arrays;
  PyObject *engine, *raise, *python; /* python: the function that was compiled */
  /* the calls of Python by compiled code: a tuple of triples (callable, format of arguments, format of the result) */
  PyObject *python_calls;
  PyObject *name, *formats; /* formats: a tuple of four bytes */
  const char *parameters, *yields, *sends, *returns;
  struct running *spare[NATIVE_SPARES]; /* free list of objects, each with its channel and a reference to its type */
  int spares;
};

struct native_array { /* memory of the elements of an array argument */
  Py_buffer view;
  void *copy; /* copy of a list's elements; NULL if a buffer is locked */
};

/* Converts the value at *slot to an object, and advances format and slot. NULL with an exception set. */
PyObject *native_read_value(const char **format, const union native_slot **slot);
/* Stores a value in *slot, and advances format and slot. Returns 1 if a bool was stored for an int. The compiled
   function would return 0 or 1, but Python's function the bool itself. Returns -1 with TypeError or OverflowError set.
   */
int native_store_value_reporting_bool(const char **format, PyObject *value, union native_slot **slot);
/* Stores the address and the length of an array argument in two slots. The elements are those of the buffer, or copies
   of a list's; native_release_and_free_arrays releases `array` after the call. Returns 1 if a bool was stored for an
   int, or -1 with TypeError or BufferError set. */
int native_store_array_reporting_bool(const char *format, PyObject *value, union native_slot *slots,
                                      struct native_array *array);
void native_release_and_free_arrays(struct native_array *arrays, Py_ssize_t count);

int core_add_compiled_callable(PyObject *core); /* adds the type Called */
int core_add_native_symbols(PyObject *core); /* adds NATIVE_SYMBOLS: a dict of addresses that compiled code calls */
/* Caches the types that awaitable_iterator compares with. -1 with an exception set. */
int awaitable_cache_python_types(struct core_state *state);
/* The iterator to drive for an awaitable, as Python's await selects it. NULL with an exception set. */
PyObject *awaitable_iterator(const struct core_state *state, PyObject *object);

PyObject *
coroutine_iterator_new(PyObject *coroutine); /* wraps a compiled coroutine in an iterator. NULL with MemoryError set */

/* Calls the function with the arguments stored in the channel's slots. Returns 1 if it was not called because a bool
   was passed for an int; Python's own function would return it as a bool. Returns -1 with an exception set. */
int native_call_unless_bool_for_int(const struct native_object *native, PyObject *args, struct native_channel *channel,
                                    struct native_array *arrays);
/* The exception for the status of a channel, with its contexts and the line of the function; `thrown` is that of
   NATIVE_THROWN. Does not set it. Removes the channel's contexts. */
PyObject *native_take_raised_exception(const struct native_object *native, struct native_channel *channel,
                                       PyObject *thrown);
/* Sets an exception that was raised before. The exception that the caller handles is not added as its __context__
   again. */
void native_set_exception(PyObject *exception);
/* Called by compiled code. The contexts of an exception raised by a finally block: its own, then the exception for
   which the block ran, by its status (possibly NATIVE_FINE), then the contexts of that one. Takes ownership of both
   lists. */
struct native_contexts *native_chain_contexts(struct native_contexts *own, int32_t status,
                                              struct native_contexts *older);
void native_drop_contexts(struct native_contexts *contexts);
/* The `limit` of a channel in this thread: half of the remaining stack, excluding a reserve for functions that are
   not recursive. The other half is for the destruction of frames. 0 if the thread's stack is unknown. */
uintptr_t native_stack_limit(void);
/* Whether code that has used `bytes` of another stack fits into this thread's stack. */
bool native_stack_has_space(uintptr_t bytes);
/* Divides as Python does when converting both operands to double would round. */
double native_divide(int64_t left, int64_t right);
/* Creates a generator or coroutine suspended before its body. NULL with an exception set. */
PyObject *native_create_object_or_call_python(PyObject *native, PyObject *args);
void native_free_spare_objects(struct native_object *native); /* called when the native is deallocated */
