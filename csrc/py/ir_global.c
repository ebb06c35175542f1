/* Queries of globals.
   Requires: the module locked.
   Guarantees: see ir_queries.def. */
#include "ir.h"
#include "ir_type.h"

PyObject *ir_get_value_type(struct value_object *self)
{
  return core_type_new(self->module, LLVMGlobalGetValueType(self->value));
}

PyObject *ir_get_linkage(struct value_object *self)
{
  switch (LLVMGetLinkage(self->value)) {
  case LLVMAvailableExternallyLinkage: return core_text("available_externally");
  case LLVMLinkOnceAnyLinkage: return core_text("linkonce");
  case LLVMLinkOnceODRLinkage: return core_text("linkonce_odr");
  case LLVMWeakAnyLinkage: return core_text("weak");
  case LLVMWeakODRLinkage: return core_text("weak_odr");
  case LLVMAppendingLinkage: return core_text("appending");
  case LLVMInternalLinkage: return core_text("internal");
  case LLVMPrivateLinkage: return core_text("private");
  case LLVMExternalWeakLinkage: return core_text("extern_weak");
  case LLVMCommonLinkage: return core_text("common");
  default: return core_text("external");
  }
}

PyObject *ir_get_visibility(struct value_object *self)
{
  switch (LLVMGetVisibility(self->value)) {
  case LLVMHiddenVisibility: return core_text("hidden");
  case LLVMProtectedVisibility: return core_text("protected");
  default: return core_text("default");
  }
}

PyObject *ir_get_section(struct value_object *self)
{
  const char *section = LLVMGetSection(self->value);
  return core_text(section ? section : "");
}

PyObject *ir_get_declaration(struct value_object *self)
{
  return PyBool_FromLong(LLVMIsDeclaration(self->value));
}

PyObject *ir_get_initializer(struct value_object *self)
{
  return core_ir_value(self->module, LLVMGetInitializer(self->value));
}

PyObject *ir_get_is_constant(struct value_object *self)
{
  return PyBool_FromLong(LLVMIsGlobalConstant(self->value));
}

PyObject *ir_get_thread_local(struct value_object *self)
{
  return PyBool_FromLong(LLVMIsThreadLocal(self->value));
}

PyObject *ir_get_target(struct value_object *self)
{
  return core_ir_value(self->module, self->kind == IR_ALIAS ? LLVMAliasGetAliasee(self->value)
                                                            : LLVMGetGlobalIFuncResolver(self->value));
}

PyObject *ir_get_personality(struct value_object *self)
{
  return core_ir_value(self->module, LLVMHasPersonalityFn(self->value) ? LLVMGetPersonalityFn(self->value) : NULL);
}

PyObject *ir_get_gc(struct value_object *self)
{
  const char *name = LLVMGetGC(self->value);
  return name ? core_text(name) : Py_NewRef(Py_None);
}
