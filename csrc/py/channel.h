/* What Python and natively compiled functions share: the channel that they talk through, values in it, what is known of
   a function. The IR that src/pycoro/compiling emits knows the same layout.
   Needs: state.h. Leaves: nothing. */
#ifndef CORO_PY_CHANNEL_H
#define CORO_PY_CHANNEL_H

#include "state.h"

union native_slot {
  int64_t integer; /* also of a bool, and the length of an array */
  double real;
  void *address;
};

struct native_standing {
  uintptr_t base; /* on the stack: where what stands innermost was resumed from */
  uintptr_t deep; /* how many bytes below that the deepest coroutine stands, of those that call themselves */
};

struct native_channel {
  void *current; /* the frame that is resumed next; NULL of a function that is no coroutine */
  int32_t status; /* NATIVE_FINE, NATIVE_THROWN, or what the native's `raise` knows */
  int32_t wants; /* of a suspend: NATIVE_NOTHING, NATIVE_SENT, or which of the native's `asks` */
  int64_t depth; /* how many more calls of functions that call themselves */
  uintptr_t limit; /* an address on the stack of the thread that runs: below it they call themselves no more */
  struct native_standing *standing;
  union native_slot slots[];
};

enum { NATIVE_FINE, NATIVE_THROWN };
enum { NATIVE_NOTHING, NATIVE_SENT, NATIVE_ASKS };

struct running; /* in running.h */

enum { NATIVE_SPARES = 4 };

enum native_kind { NATIVE_FUNCTION, NATIVE_GENERATOR, NATIVE_COROUTINE };

/* Formats are texts: l an int, d a float, ? a bool, n None, (...) a tuple of them; of a parameter also *l *d *? an
   array, which takes two slots, and &l &d &? one that is written to. */
struct native_object {
  struct core_object base;
  void (*enter)(struct native_channel *); /* with the arguments in the slots */
  enum native_kind kind;
  Py_ssize_t slots, arrays;
  PyObject *engine, *raise, *asks; /* asks: a tuple of (callable, format of arguments, format of the result) */
  PyObject *name, *formats; /* formats: a tuple of four bytes */
  const char *parameters, *yields, *sends, *returns;
  struct running
      *spare[NATIVE_SPARES]; /* of objects that have gone, each with its channel and a reference to its type */
  int spares;
};

struct native_array { /* memory that a parameter's elements lie in */
  Py_buffer view;
  void *copy; /* of a list; NULL where the view is held */
};

/* The value at *slot, which is stepped over, as is the format. NULL with an exception set. */
PyObject *native_value(const char **format, const union native_slot **slot);
/* Puts a value there, and steps over likewise. -1 with TypeError or OverflowError set. */
int native_take(const char **format, PyObject *value, union native_slot **slot);
/* Puts the elements of an array there. -1 with TypeError or BufferError set. */
int native_take_array(const char *format, PyObject *value, union native_slot *slot, struct native_array *array);
void native_drop_arrays(struct native_array *arrays, Py_ssize_t count);

int core_add_called(PyObject *core); /* the type Called, which objects of Python's class are of */
/* Keeps in the state what awaitable_iterator knows Python's own by. -1 with an exception set. */
int awaitable_prepare(struct core_state *state);
/* What is driven where the object is awaited, as Python's await has it. NULL with an exception set. */
PyObject *awaitable_iterator(const struct core_state *state, PyObject *object);

PyObject *awaiting_new(PyObject *coroutine); /* a compiled one, as an iterator. NULL with MemoryError set */

/* Calls it: the arguments go through the channel, whose slots are there. -1 with an exception set. */
int native_enter(const struct native_object *native, PyObject *args, struct native_channel *channel,
                 struct native_array *arrays);
/* Raises what a status says. Gives NULL. */
PyObject *native_raise(const struct native_object *native, int status);
/* A channel's `limit` in this thread: half of the way down to where there is only enough for what does not call itself,
   since what comes down is destroyed by other code. 0 where the stack that the thread runs on is not known. */
uintptr_t native_stack_limit(void);
/* Whether what has taken so many bytes of a stack may go on here. */
bool native_stack_holds(uintptr_t bytes);
/* For compiled code, where a double of both operands would be rounded. */
double native_divide(int64_t left, int64_t right);

#endif
