/* What the files of the extension share: the module state, the list of types, exceptions, conversion of texts.
   Needs: pycoro.h. Leaves: nothing outside the module state, so that every interpreter has a core of its own. */
#ifndef CORO_PY_STATE_H
#define CORO_PY_STATE_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "pycoro.h"

struct core_state {
  PyObject *errors; /* the module pycoro.errors; imported when the first exception is raised */
  PyObject *ir_classes; /* a tuple by kind of value; NULL until pycoro.ir is imported */
  PyObject *coroutine_class, *generator_class; /* Python's own */
#define CORE_TYPE(name, plural)                                                                                        \
  PyTypeObject *name##_type;                                                                                           \
  Py_ssize_t live_##name; /* counted by the type's new and dealloc, with the GIL held */
#include "types.def"
};

/* Each makes one type, puts it into the state and the module. 0, or -1 with an exception set. */
#define CORE_TYPE(name, plural) int core_add_##name(PyObject *core, struct core_state *state);
#include "types.def"

extern PyMethodDef core_ir_build_methods[], core_ir_constant_methods[], core_ir_change_methods[],
    core_ir_global_methods[], core_ir_attribute_methods[], core_ir_intrinsic_methods[],
    core_ir_describe_methods[]; /* and that build */
extern PyMethodDef core_ir_methods[]; /* functions of the core that look at values, in ir_methods.c */

/* Every object of the core keeps a strong reference to the extension module, so that the state outlives it whatever
   the order of deletion. It begins with these members. */
struct core_object {
  PyObject_HEAD
  PyObject *core;
};

static inline struct core_state *core_state_of(PyObject *object)
{
  return PyModule_GetState(((struct core_object *)object)->core);
}

/* A function as the value of a slot, which Python wants as an object pointer. */
#define CORE_SLOT(function) ((void *)(intptr_t)(function))

/* An object of `type`, with its core set and the rest cleared; `live` is the state's counter of the type. NULL with
   MemoryError set. */
PyObject *core_new(PyTypeObject *type, PyObject *core, Py_ssize_t *live);
void core_delete(PyObject *self, Py_ssize_t *live); /* the last words of a dealloc */
/* Makes a type of that size, with flags besides those that all have, and puts it into the module. -1 with an exception
   set. */
int core_add_type(PyObject *core, PyTypeObject **type, const char *name, size_t size, unsigned flags,
                  PyType_Slot *slots);
int core_traverse(PyObject *self, visitproc visit, void *arg); /* Py_tp_traverse of every type */

/* ---- Exceptions: all return NULL, so that a method can end in `return core_raise(...)` ---- */

/* The class of pycoro.errors that belongs to the status, made from the diagnostics (may be NULL). MemoryError for
   ENOMEM. An exception that is set already, by a callback, is left as it is. */
PyObject *core_raise(struct core_state *state, coro_status status, const coro_diags *diags);
/* None, or what core_raise gives. Frees the diagnostics. */
PyObject *core_finished(PyObject *self, coro_status status, coro_diags *diags);
PyObject *core_found(PyObject *self, coro_status status, coro_diags *diags, const void *address); /* an int instead */
/* pycoro.errors.<name>(message) */
PyObject *core_raise_named(struct core_state *state, const char *name, const char *message);
/* The diagnostics as a tuple of dicts, for pycoro.errors.Diagnostic. */
PyObject *core_diagnostics(const coro_diags *diags);

/* ---- The C module inside a `_core.Module` ---- */

/* Holds the module for the calling thread until core_module_release, so that the GIL can be released meanwhile. NULL
   with TypeError, ClosedError or BusyError set. The caller holds a reference to `object` all the while. */
coro_module *core_module_acquire(struct core_state *state, PyObject *object);
void core_module_release(PyObject *object);
/* Of one that is held: the caller's now; the object is closed. */
coro_module *core_module_detach(PyObject *object);
/* A Module for passes of this thread, of a module that stays the engine's: nobody else may use it, nobody close it. It
   is closed until it is lent, and when it is reclaimed. NULL with an exception set. */
PyObject *core_module_to_lend(PyObject *core);
void core_module_lend(PyObject *object, coro_module *module);
void core_module_reclaim(PyObject *object);
/* As core_module_acquire, for what takes the module away: UsageError for one that is lent. */
coro_module *core_module_acquire_own(struct core_state *state, PyObject *object);
void core_module_changed(PyObject *object); /* takes over the generation of the module that is held */

PyObject *core_module_link(PyObject *core, PyObject *args); /* of the module, not of a Module */

/* Module.run and Module.explain, in run.c */
PyObject *core_run(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *core_run_in_place(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *core_run_llvm(PyObject *self, PyObject *passes);
PyObject *core_remark(PyObject *self, PyObject *args);
PyObject *core_explain(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *core_stage_text(PyObject *self, PyObject *args, PyObject *kwargs);

PyObject *core_report_new(PyObject *core, coro_report *report); /* takes the report over, on failure too */

/* ---- What the engine tells of coroutines, as dicts; in infos.c ---- */

PyObject *core_coroutine(const coro_coroutine_info *info);
PyObject *core_fields(const coro_field_info *fields, size_t count); /* a tuple of dicts */
PyObject *core_candidate(const coro_candidate_info *info);
PyObject *core_value(const coro_value_info *info);
PyObject *core_keepable(const coro_keepable_info *info);
/* A tuple of what `make` gives at each index of whatever `of` is. */
typedef PyObject *core_item(const void *of, size_t index);
PyObject *core_tuple(size_t count, core_item *make, const void *of);

/* ---- Values ---- */

/* IR may hold bytes that are not UTF-8; they survive both ways as lone surrogates. */
PyObject *core_text(const char *text);

PyObject *core_text_sized(const char *text, size_t size);
/* What `work` gives for a name, the inverse of core_text; it has the name until it returns. NULL with TypeError or
   UsageError set, without calling it, where there is no name in the object. */
typedef PyObject *core_named_work(PyObject *self, const char *name, void *data);
PyObject *core_with_name(PyObject *self, PyObject *name, core_named_work *work, void *data);
/* Its bytes, with a NUL behind them and none in them. Errors as for core_with_name. */
PyObject *core_name_bytes(PyObject *self, PyObject *name);

enum core_kind { CORE_END, CORE_TEXT, CORE_BOOL, CORE_U32, CORE_INDEX, CORE_U64, CORE_SIZE, CORE_DOUBLE, CORE_NAME };

struct core_member { /* of a C struct, to become an item of a dict */
  const char *key;
  enum core_kind kind; /* INDEX: a uint32_t, with CORO_NONE as None. NAME: an enum, as names[value] */
  size_t offset;
  const char *const *names;
};

PyObject *core_dict(const void *structure, const struct core_member *members);
/* dict[key] = value; takes over the reference. -1 with an exception set, also where value is NULL. */
int core_dict_take(PyObject *dict, const char *key, PyObject *value);

/* ---- Python in the middle of the engine's work ---- */

/* Between the two the caller's thread holds the GIL, *detached is NULL, and what the engine is asked for there does
   not come for the GIL again. */
static inline void core_attach(PyThreadState **detached)
{
  PyThreadState *thread = *detached;
  *detached = NULL;
  PyEval_RestoreThread(thread);
}

static inline void core_detach(PyThreadState **detached)
{
  *detached = PyEval_SaveThread();
}

#endif
