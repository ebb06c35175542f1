/* Creates types from text or from component types.
   Requires: ir_type.h.
   Guarantees: UsageError for types that LLVM does not have. */
#include <string.h>

#include "ir_type.h"

struct made {
  coro_module *module;
  coro_type_spec wanted;
  LLVMTypeRef type;
};

static PyObject *parse_type_text(PyObject *self, const char *text, void *data)
{
  struct made *made = data;
  coro_diags *diags = core_create_diags_or_null();
  coro_status status = coro_type_parse(made->module, text, &made->type, diags);
  return core_none_or_raise(self, status, diags);
}

static PyObject *create_wanted_type(PyObject *self, const char *name, void *data)
{
  struct made *made = data;
  coro_diags *diags = core_create_diags_or_null();
  made->wanted.name = name;
  coro_status status = coro_type_create(made->module, &made->wanted, &made->type, diags);
  return core_none_or_raise(self, status, diags);
}

LLVMTypeRef core_type_of_object_or_text(PyObject *module, coro_module *locked, PyObject *object, const char *what)
{
  if (!PyUnicode_Check(object))
    return core_type_of(module, object, what);
  struct made made = {.module = locked};
  PyObject *done = core_with_name(module, object, parse_type_text, &made);
  Py_XDECREF(done);
  return done ? made.type : NULL;
}

/* Converts a tuple of types to an array. NULL with an exception set if an element is not a type. */
static LLVMTypeRef *convert_element_types(PyObject *module, coro_module *locked, PyObject *tuple, size_t *count)
{
  *count = (size_t)PyTuple_Size(tuple);
  LLVMTypeRef *parts = PyMem_Malloc((*count + 1) * sizeof(LLVMTypeRef));
  for (size_t i = 0; parts && i < *count; i++) {
    parts[i] =
        core_type_of_object_or_text(module, locked, PyTuple_GetItem(tuple, (Py_ssize_t)i), "the components of a type");
    if (!parts[i]) {
      PyMem_Free(parts);
      return NULL;
    }
  }
  return parts ? parts : (LLVMTypeRef *)(void *)PyErr_NoMemory();
}

static coro_type_form type_form_of_keyword(const char *keyword)
{
  static const char *const keywords[] = {[CORO_TYPE_PLAIN] = "plain",      [CORO_TYPE_INTEGER] = "integer",
                                         [CORO_TYPE_POINTER] = "pointer",  [CORO_TYPE_STRUCT] = "struct",
                                         [CORO_TYPE_ARRAY] = "array",      [CORO_TYPE_VECTOR] = "vector",
                                         [CORO_TYPE_FUNCTION] = "function"};
  size_t i = 0;
  while (i < sizeof keywords / sizeof *keywords && strcmp(keywords[i], keyword))
    i++;
  return (coro_type_form)i;
}

PyObject *core_type_make(PyObject *module, PyObject *args)
{
  const char *kind;
  PyObject *tuple, *name;
  unsigned long long number;
  int flag;
  if (!PyArg_ParseTuple(args, "sO!KpO:type_make", &kind, &PyTuple_Type, &tuple, &number, &flag, &name))
    return NULL;
  coro_module *locked = core_module_acquire(core_state_of(module), module);
  struct made made = {.module = locked};
  LLVMTypeRef *parts = locked ? convert_element_types(module, locked, tuple, &made.wanted.count) : NULL;
  made.wanted = (coro_type_spec){type_form_of_keyword(kind), parts, made.wanted.count, number, flag, NULL};
  PyObject *done = !parts            ? NULL
                   : name == Py_None ? create_wanted_type(module, NULL, &made)
                                     : core_with_name(module, name, create_wanted_type, &made);
  PyMem_Free(parts);
  if (locked)
    core_module_release(module);
  Py_XDECREF(done);
  return done ? core_type_new(module, made.type) : NULL;
}

PyObject *core_type_read(PyObject *module, PyObject *text)
{
  if (!PyUnicode_Check(text))
    return PyErr_Format(PyExc_TypeError, "the text of a type must be a str, not %R", text);
  coro_module *locked = core_module_acquire(core_state_of(module), module);
  LLVMTypeRef type = locked ? core_type_of_object_or_text(module, locked, text, "") : NULL;
  if (locked)
    core_module_release(module);
  return type ? core_type_new(module, type) : NULL;
}
