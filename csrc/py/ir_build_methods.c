/* Python methods that build or change IR, one per row of ir_builders.def.
   Requires: ir_build.h.
   Guarantees: the module is locked only during the call. */
#include "ir_build.h"

static PyObject *build_or_change_at_site(PyObject *core, PyObject *args, enum site_role role, ir_build *build,
                                         ir_change *change)
{
  struct build_site site;
  if (PyTuple_Size(args) < 1)
    return PyErr_Format(PyExc_TypeError, "expected an insertion point, a value or a module");
  if (!site_enter(core, PyTuple_GetItem(args, 0), &site, role))
    return NULL;
  bool fine = build ? (site.built = build(&site, args)) != NULL : change(&site, args);
  return site_exit(&site, site.built, !fine);
}

#define IR_BUILDER(name, role, arguments)                                                                              \
  static PyObject *build_##name(PyObject *core, PyObject *args)                                                        \
  {                                                                                                                    \
    return build_or_change_at_site(core, args, SITE_##role, ir_build_##name, NULL);                                    \
  }
#define IR_CHANGE(name, role, arguments)                                                                               \
  static PyObject *change_##name(PyObject *core, PyObject *args)                                                       \
  {                                                                                                                    \
    return build_or_change_at_site(core, args, SITE_##role, NULL, ir_change_##name);                                   \
  }
#include "ir_builders.def"

PyMethodDef core_ir_build_methods[] = {
#define IR_BUILDER(name, role, arguments)                                                                              \
  {"ir_build_" #name, build_##name, METH_VARARGS, PyDoc_STR("ir_build_" #name "(site, " arguments ")")},
#define IR_CHANGE(name, role, arguments)                                                                               \
  {"ir_" #name, change_##name, METH_VARARGS, PyDoc_STR("ir_" #name "(" arguments ")")},
#include "ir_builders.def"
    {NULL, NULL, 0, NULL},
};
