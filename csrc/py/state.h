/* Shared declarations of the extension: module state, heap types, exceptions, conversions.
   Requires: pycoro.h.
   Guarantees: all state is in the module object, so each interpreter has its own core. */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "pycoro.h"

/* What defines a heap type. */
struct core_type_spec {
  const char *name;
  size_t size;
  unsigned flags; /* besides the common ones */
  PyType_Slot *slots;
  const size_t *owned; /* offsets of members that hold owned references or NULL, then 0; NULL: none */
};

struct core_type { /* a heap type of this interpreter */
  const struct core_type_spec *spec;
  PyTypeObject *type;
  Py_ssize_t live; /* number of its objects; updated with the GIL held */
};

struct core_state {
  coro_reader *reader; /* NULL: out of memory, or no random numbers */
  PyObject *errors; /* the module pycoro.errors, imported on the first exception */
  PyObject *ir_classes; /* tuple indexed by kind of value; NULL until pycoro.ir is imported */
  PyObject *coroutine_class, *generator_class; /* Python's own types */
#define CORE_TYPE(name, plural) struct core_type name;
#include "types.def"
};

#define CORE_TYPE(name, plural) extern const struct core_type_spec core_##name##_spec;
#include "types.def"

extern PyMethodDef core_ir_methods[]; /* functions that query values, in ir_methods.c */
extern PyMethodDef core_ir_build_methods[]; /* functions that build or change IR, in ir_building.c */

/* First members of every object of the core. The strong reference to the extension module keeps the state alive
   until the last object is gone. */
struct core_object {
  PyObject_HEAD
  PyObject *core;
  struct core_type *type; /* in the state */
};

static inline struct core_state *core_state_of(PyObject *object)
{
  return PyModule_GetState(((struct core_object *)object)->core);
}

/* A method that is one expression of `self` and its argument. */
#define CORE_METHOD(name, argument, result)                                                                            \
  static PyObject *name(PyObject *self, PyObject *argument)                                                            \
  {                                                                                                                    \
    return result;                                                                                                     \
  }
/* Converts a function pointer to the object pointer of a slot. */
#define CORE_SLOT(function) ((void *)(intptr_t)(function))
/* Slots of every type whose owned references are in its specification: documentation, deallocation and traversal. */
/* clang-format off */
#define CORE_COMMON_SLOTS(text, dealloc)                                                                               \
  {Py_tp_doc, PyDoc_STR(text)}, {Py_tp_dealloc, CORE_SLOT(dealloc)}, {Py_tp_traverse, CORE_SLOT(core_traverse_members)}
/* clang-format on */

/* Creates the heap type of a specification, and adds it to the module. -1 with an exception set. */
int core_add_type(PyObject *core, struct core_type *type, const struct core_type_spec *spec);
/* Allocates a zeroed object. NULL with MemoryError set. */
PyObject *core_new(PyObject *core, struct core_type *type);
/* The same in a Py_tp_new, for the type at an offset in struct core_state. */
PyObject *core_new_of_type_at_state_offset(PyTypeObject *type, size_t offset);
/* The same for an object of a class derived from the type. */
PyObject *core_new_derived(PyObject *core, struct core_type *type, PyTypeObject *derived);

/* ---- Slots of the types; each covers the references that `owned` of the specification lists ---- */

int core_traverse_members(PyObject *self, visitproc visit, void *arg);
int core_clear_members(PyObject *self);
void core_free_heap_type_object(PyObject *self); /* Py_tp_dealloc, or the last call of one */
PyObject *core_return_self(PyObject *self); /* Py_tp_iter of an iterator */
/* A getter: whether the pointer at the offset in `closure` is NULL. */
PyObject *core_is_null(PyObject *self, void *closure);
#define CORE_IS_CLOSED(type, member)                                                                                   \
  {"is_closed", core_is_null, NULL, PyDoc_STR("Whether close() was called."), (void *)offsetof(type, member)}

/* ---- Exceptions: all return NULL, so that a method can end in `return core_raise(...)` ---- */

/* Raises the class of pycoro.errors for the status, with the diagnostics (may be NULL); MemoryError for ENOMEM.
   Keeps an exception that a callback has set. */
PyObject *core_raise(struct core_state *state, coro_status status, const coro_diags *diags);
/* None, or an exception as in core_raise. Frees the diagnostics. */
PyObject *core_none_or_raise(PyObject *self, coro_status status, coro_diags *diags);
/* Diagnostics for a call of the engine; NULL without memory: the messages are lost. */
coro_diags *core_create_diags_or_null(void);
/* Returns the object, or NULL as core_none_or_raise does and the object is released. */
PyObject *core_object_or_raise(PyObject *object, coro_status status, coro_diags *diags);
PyObject *core_address_int_or_raise(PyObject *self, coro_status status, coro_diags *diags,
                                    const void *address); /* returns an int */
PyObject *core_take_exception(void); /* takes the exception that is set, as an object */
/* raises pycoro.errors.<name>(message) */
PyObject *core_raise_named(struct core_state *state, const char *name, const char *message);
/* TypeError with the name of the object's type in place of %U */
PyObject *core_raise_for_type(const char *format, PyObject *object);
/* The diagnostics as a tuple of dicts, for pycoro.errors.Diagnostic. */
PyObject *core_tuple_of_diagnostics(const coro_diags *diags);

/* ---- Locking the C module of a `_core.Module` ---- */

/* Locks the module for the calling thread until core_module_release, so that the GIL can be released. NULL with
   TypeError, ClosedError or BusyError set. The caller must hold a reference to `object` meanwhile. */
coro_module *core_module_acquire(struct core_state *state, PyObject *object);
void core_module_release(PyObject *object);
/* Transfers ownership of a locked module to the caller, and closes the object. */
coro_module *core_module_detach_and_unlock(PyObject *object);
/* Creates a Module to lend the run's module to passes on this thread. Other threads cannot use it, and it cannot be
   closed by Python. It is closed before it is lent and after it is reclaimed. NULL with an exception set. */
PyObject *core_module_to_lend(PyObject *core);
void core_module_lend(PyObject *object, coro_module *module);
void core_module_end_lending(PyObject *object);
/* As core_module_acquire, for operations that consume the module: UsageError for a lent one. */
coro_module *core_module_acquire_unless_lent(struct core_state *state, PyObject *object);
void core_module_sync_generation(PyObject *object); /* updates the generation from the locked module */

PyObject *core_module_link(PyObject *core, PyObject *args); /* Python function pycoro._core.link */

/* Module.run and Module.explain, in run.c */
PyObject *core_run(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *core_run_in_place(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *core_run_llvm(PyObject *self, PyObject *passes);
PyObject *core_remark(PyObject *self, PyObject *args);
PyObject *core_explain(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *core_stage_text(PyObject *self, PyObject *args, PyObject *kwargs);

PyObject *core_report_new(PyObject *core, coro_report *report); /* takes ownership of the report, also on failure */

/* ---- Values ---- */

/* Decodes UTF-8 with surrogateescape, because names in IR may hold other bytes. */
PyObject *core_make_str(const char *text);

PyObject *core_make_str_of_size(const char *text, size_t size);
/* Calls `work` with a name encoded by the inverse of core_make_str. The name is valid during the call. NULL with
   TypeError or UsageError set, without a call, if the object is not a name. */
typedef PyObject *core_named_work(PyObject *self, const char *name, void *data);
PyObject *core_with_name(PyObject *self, PyObject *name, core_named_work *work, void *data);
/* Returns a new bytes object with the encoded name, which contains no NUL. Raises the same errors as
   core_with_name. */
PyObject *core_name_bytes(PyObject *self, PyObject *name);

/* A tuple of item(of, i) for each index. */
typedef PyObject *core_item(const void *of, size_t index);
PyObject *core_make_tuple(size_t count, core_item *item, const void *of);
/* A zeroed array with an element for each item of a tuple, and one more; free it by PyMem_Free. NULL: out of memory. */
void *core_array_for_tuple(PyObject *given, size_t size);
/* Reads each item of a tuple; None is an empty one. -1 with an exception set: TypeError with the text `expected` for
   other objects, MemoryError if the arrays of `into` are not allocated. */
int core_read_tuple(PyObject *given, const char *expected, bool allocated, int (*read)(void *into, PyObject *item),
                    void *into);
PyObject *core_make_int_item(const void *numbers, size_t index); /* Python int of an element of an array of uint32_t */
PyObject *core_make_str_item(const void *texts, size_t index); /* Python str of an element of an array of C strings */
/* Sets an item of a new tuple, or appends one to a list. Both take ownership of the item; if it is NULL, or memory is
   exhausted, *tuple or *list becomes NULL, and later calls only release their items. */
void core_tuple_set(PyObject **tuple, Py_ssize_t index, PyObject *item);
void core_list_append(PyObject **list, PyObject *item);
/* Sets dict[key] = value and takes ownership of the value. -1 with an exception set, also if value is NULL. */
int core_dict_set_owned(PyObject *dict, const char *key, PyObject *value);

/* ---- Scalars of an interpreted program as Python numbers; an exception is set if a number does not fit ---- */

PyObject *core_tuple_of_arguments(const coro_external *call); /* a tuple of ints and floats */
/* Stores a callable's result as a scalar of the wanted type. -1 with an exception set. */
int core_read_scalar_from_object(PyObject *given, coro_value *value);
PyObject *core_tuple_of_results(const coro_value *values, size_t count); /* a tuple of bits as ints; None: undefined */
/* Converts a tuple of ints, each the bits of one scalar. The caller frees it by PyMem_Free. NULL with an exception
   set. */
coro_value *core_values_from_int_tuple(PyObject *tuple);

/* ---- Structs as dicts, by tables of their members ---- */

/* INDEX: a uint32_t, CORO_NONE as None. NAME: an enum, as its name. STRUCT: a dict. ARRAY: a tuple. */
enum core_kind {
  CORE_END,
  CORE_TEXT,
  CORE_BOOL,
  CORE_U32,
  CORE_INDEX,
  CORE_U64,
  CORE_SIZE,
  CORE_DOUBLE,
  CORE_NAME,
  CORE_STRUCT,
  CORE_ARRAY
};

struct core_member {
  const char *key;
  enum core_kind kind;
  size_t offset;
  const char *const *names; /* NAME: indexed by value */
  const struct core_member *members; /* STRUCT, and ARRAY of structs */
  core_item *item; /* ARRAY of anything else: converts an element */
  size_t count, size; /* ARRAY: offset of the number of elements, a size_t; size of one */
};

#define CORE_MEMBER_AS(text, type, name, as) {.key = text, .kind = CORE_##as, .offset = offsetof(type, name)}
#define CORE_NAMED(type, name, words) {.key = #name, .kind = CORE_NAME, .offset = offsetof(type, name), .names = words}
#define CORE_NESTED(type, name, table)                                                                                 \
  {.key = #name, .kind = CORE_STRUCT, .offset = offsetof(type, name), .members = table}
#define CORE_STRUCTS(type, name, number, table)                                                                        \
  {.key = #name,                                                                                                       \
   .kind = CORE_ARRAY,                                                                                                 \
   .offset = offsetof(type, name),                                                                                     \
   .members = table,                                                                                                   \
   .count = offsetof(type, number),                                                                                    \
   .size = sizeof *((type *)0)->name}
#define CORE_ITEMS(type, name, number, make)                                                                           \
  {.key = #name, .kind = CORE_ARRAY, .offset = offsetof(type, name), .item = make, .count = offsetof(type, number)}
#define CORE_LAST {.kind = CORE_END}

/* CORE_MEMBERS(type, kind, name...): up to eight members of one kind */
#define CORE_MEMBERS(...) CORE_NINTH(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)(__VA_ARGS__)
#define CORE_NINTH(type, as, a, b, c, d, e, f, g, h, number, ...) CORE_MEMBERS_##number
#define CORE_MEMBERS_1(type, as, name) CORE_MEMBER_AS(#name, type, name, as)
#define CORE_MEMBERS_2(type, as, name, ...) CORE_MEMBERS_1(type, as, name), CORE_MEMBERS_1(type, as, __VA_ARGS__)
#define CORE_MEMBERS_3(type, as, name, ...) CORE_MEMBERS_1(type, as, name), CORE_MEMBERS_2(type, as, __VA_ARGS__)
#define CORE_MEMBERS_4(type, as, name, ...) CORE_MEMBERS_1(type, as, name), CORE_MEMBERS_3(type, as, __VA_ARGS__)
#define CORE_MEMBERS_5(type, as, name, ...) CORE_MEMBERS_1(type, as, name), CORE_MEMBERS_4(type, as, __VA_ARGS__)
#define CORE_MEMBERS_6(type, as, name, ...) CORE_MEMBERS_1(type, as, name), CORE_MEMBERS_5(type, as, __VA_ARGS__)
#define CORE_MEMBERS_7(type, as, name, ...) CORE_MEMBERS_1(type, as, name), CORE_MEMBERS_6(type, as, __VA_ARGS__)
#define CORE_MEMBERS_8(type, as, name, ...) CORE_MEMBERS_1(type, as, name), CORE_MEMBERS_7(type, as, __VA_ARGS__)

PyObject *core_make_dict(const void *structure, const struct core_member *members);

/* ---- Descriptions of coroutines as dicts; in coroutine_dicts.c ---- */

PyObject *core_tuple_of_field_dicts(const coro_field_info *fields, size_t count); /* a tuple of dicts */
extern const struct core_member core_coroutine_members[], core_candidate_members[], core_remat_candidate_members[],
    core_spill_candidate_members[]; /* members that core_make_dict converts */

/* ---- Callbacks into Python while the engine runs ---- */

/* Between attach and detach the caller's thread holds the GIL and *detached is NULL. Calls of the engine made
   meanwhile do not acquire the GIL again. */
static inline void core_attach(PyThreadState **detached)
{
  PyThreadState *thread = *detached;
  *detached = NULL;
  PyEval_RestoreThread(thread);
}

/* Evaluates an expression without the GIL. */
#define CORE_WITHOUT_GIL(expression)                                                                                   \
  do {                                                                                                                 \
    Py_BEGIN_ALLOW_THREADS                                                                                             \
    expression;                                                                                                        \
    Py_END_ALLOW_THREADS                                                                                               \
  } while (0)

static inline void core_detach(PyThreadState **detached)
{
  *detached = PyEval_SaveThread();
}
