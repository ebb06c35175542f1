/* Creates functions, global variables and blocks, and sets their properties.
   Requires: ir_building.h. Checked here because LLVM-C does not: names are unused, function types are function types,
   initializers have the variable's type. */
#include <string.h>

#include "ir_building.h"

static bool is_name_taken(LLVMModuleRef module, const char *name)
{
  size_t length = strlen(name);
  return *name && (LLVMGetNamedFunction(module, name) || LLVMGetNamedGlobal(module, name) ||
                   LLVMGetNamedGlobalAlias(module, name, length) || LLVMGetNamedGlobalIFunc(module, name, length));
}

static bool check_name_is_free(struct build_site *site, const char *name)
{
  if (!strncmp(name, "llvm.", 5))
    return site_raise(site, "names that start with llvm. are reserved: declare an intrinsic with module.intrinsic");
  return !is_name_taken(site->llvm, name) || site_raise(site, "the module already has a global @%.120s", name);
}

static int linkage_of(const char *word)
{
  static const struct {
    const char *word;
    LLVMLinkage linkage;
  } table[] = {
      {"external", LLVMExternalLinkage},        {"internal", LLVMInternalLinkage},
      {"private", LLVMPrivateLinkage},          {"weak", LLVMWeakAnyLinkage},
      {"weak_odr", LLVMWeakODRLinkage},         {"linkonce", LLVMLinkOnceAnyLinkage},
      {"linkonce_odr", LLVMLinkOnceODRLinkage}, {"available_externally", LLVMAvailableExternallyLinkage},
      {"extern_weak", LLVMExternalWeakLinkage}, {"common", LLVMCommonLinkage},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].word, word))
      return (int)table[i].linkage;
  return -1;
}

static PyObject *add_function(PyObject *core, PyObject *args)
{
  PyObject *module, *name, *wanted;
  const char *word;
  struct build_site site;
  struct site_text text;
  if (!PyArg_ParseTuple(args, "OOOs:ir_add_function", &module, &name, &wanted, &word) ||
      !site_enter_module(core, module, &site))
    return NULL;
  LLVMValueRef function = NULL;
  int linkage = linkage_of(word);
  LLVMTypeRef type = site_type(&site, wanted, "the type of a function");
  if (type && LLVMGetTypeKind(type) != LLVMFunctionTypeKind)
    site_raise(&site, "the type of a function must be a function type, such as i32 (ptr), not %s",
               site_type_text(&site, type, &text));
  else if (type && linkage < 0)
    site_raise(&site, "%.40s is not a linkage", word);
  else if (type && site_name(&site, name) && check_name_is_free(&site, site.name)) {
    function = LLVMAddFunction(site.llvm, site.name, type);
    LLVMSetLinkage(function, (LLVMLinkage)linkage);
  }
  return site_exit(&site, function, !function);
}

static PyObject *add_variable(PyObject *core, PyObject *args)
{
  PyObject *module, *name, *wanted, *initial;
  const char *word;
  int constant;
  unsigned long long align;
  struct build_site site;
  if (!PyArg_ParseTuple(args, "OOOOspK:ir_add_variable", &module, &name, &wanted, &initial, &word, &constant, &align) ||
      !site_enter_module(core, module, &site))
    return NULL;
  LLVMValueRef variable = NULL, value = NULL;
  int linkage = linkage_of(word);
  LLVMTypeRef type = site_type(&site, wanted, "the type of a variable");
  bool fits = type && site_name(&site, name) && check_name_is_free(&site, site.name) && site_align(&site, align) &&
              site_sized(&site, type, "a variable");
  if (fits && LLVMGetTypeKind(type) == LLVMScalableVectorTypeKind)
    fits = site_raise(&site, "a global variable cannot have a scalable type");
  if (fits && linkage < 0)
    fits = site_raise(&site, "%.40s is not a linkage", word);
  if (fits && initial != Py_None) {
    value = site_operand_of(&site, initial, type, "the initializer");
    fits = value && (LLVMIsConstant(value) || site_raise(&site, "the initializer must be a constant"));
  }
  if (fits) {
    variable = LLVMAddGlobal(site.llvm, type, site.name);
    LLVMSetLinkage(variable, (LLVMLinkage)linkage);
    LLVMSetGlobalConstant(variable, constant);
    if (value)
      LLVMSetInitializer(variable, value);
    if (align)
      LLVMSetAlignment(variable, (unsigned)align);
  }
  return site_exit(&site, variable, !variable);
}

static PyObject *add_block(PyObject *core, PyObject *args)
{
  PyObject *object, *name;
  struct build_site site;
  if (!PyArg_ParseTuple(args, "OO:ir_add_block", &object, &name))
    return NULL;
  LLVMValueRef value = site_enter_value(core, object, &site);
  if (!value)
    return NULL;
  LLVMBasicBlockRef block = NULL;
  bool before = LLVMValueIsBasicBlock(value);
  if (!before && !LLVMIsAFunction(value))
    site_raise(&site, "a block must be inserted at the end of a function, or before a block");
  else if (LLVMGetIntrinsicID(site.function))
    site_raise(&site, "an intrinsic cannot have a body");
  else if (site_name(&site, name))
    block = before ? LLVMInsertBasicBlockInContext(site.context, LLVMValueAsBasicBlock(value), site.name)
                   : LLVMAppendBasicBlockInContext(site.context, value, site.name);
  return site_exit(&site, block ? LLVMBasicBlockAsValue(block) : NULL, !block);
}

static PyObject *set_name(PyObject *core, PyObject *args)
{
  PyObject *object, *name;
  struct build_site site;
  if (!PyArg_ParseTuple(args, "OO:ir_set_name", &object, &name))
    return NULL;
  LLVMValueRef value = site_enter_value(core, object, &site);
  if (!value)
    return NULL;
  bool block = LLVMValueIsBasicBlock(value), global = !block && LLVMIsAGlobalValue(value);
  bool fits = site_name(&site, name);
  if (fits && !block && !global && !LLVMIsAInstruction(value) && !LLVMIsAArgument(value))
    fits = site_raise(&site, "a constant cannot have a name");
  if (fits && !block && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVoidTypeKind && *site.name)
    fits = site_raise(&site, "an instruction without a result cannot have a name");
  if (fits && global && LLVMIsAFunction(value) && LLVMGetIntrinsicID(value))
    fits = site_raise(&site, "an intrinsic cannot be renamed");
  if (fits && global)
    fits = (*site.name || site_raise(&site, "a global must have a name")) && check_name_is_free(&site, site.name);
  if (fits)
    LLVMSetValueName2(value, site.name, strlen(site.name));
  return site_exit(&site, NULL, !fits);
}

static PyObject *set_personality(PyObject *core, PyObject *args)
{
  PyObject *object, *item;
  struct build_site site;
  if (!PyArg_ParseTuple(args, "OO:ir_set_personality", &object, &item))
    return NULL;
  LLVMValueRef function = site_enter_value(core, object, &site);
  if (!function)
    return NULL;
  bool fits = !LLVMValueIsBasicBlock(function) && LLVMIsAFunction(function);
  LLVMValueRef personality =
      fits ? site_operand(&site, item, "a personality") : site_raise(&site, "only a function has a personality");
  fits = personality && LLVMIsAFunction(personality);
  if (fits)
    LLVMSetPersonalityFn(function, personality);
  else if (personality)
    site_raise(&site, "a personality must be a function");
  return site_exit(&site, NULL, !fits);
}

static PyObject *set_convention(PyObject *core, PyObject *args)
{
  PyObject *object;
  unsigned number;
  struct build_site site;
  if (!PyArg_ParseTuple(args, "OI:ir_set_convention", &object, &number))
    return NULL;
  LLVMValueRef value = site_enter_value(core, object, &site);
  if (!value)
    return NULL;
  bool block = LLVMValueIsBasicBlock(value), function = !block && LLVMIsAFunction(value);
  bool call = !block && !function && (LLVMIsACallInst(value) || LLVMIsAInvokeInst(value));
  bool fits = number < 1024 && (function || call);
  if (!fits)
    site_raise(&site, "only functions and calls have a calling convention, a number below 1024");
  else if (function)
    LLVMSetFunctionCallConv(value, number);
  else
    LLVMSetInstructionCallConv(value, number);
  return site_exit(&site, NULL, !fits);
}

PyMethodDef core_ir_global_methods[] = {
    {"ir_add_function", add_function, METH_VARARGS, PyDoc_STR("ir_add_function(module, name, type, linkage)")},
    {"ir_add_variable", add_variable, METH_VARARGS,
     PyDoc_STR("ir_add_variable(module, name, type, initializer, linkage, constant, align)")},
    {"ir_add_block", add_block, METH_VARARGS, PyDoc_STR("ir_add_block(function or block, name)")},
    {"ir_set_name", set_name, METH_VARARGS, PyDoc_STR("ir_set_name(value, name)")},
    {"ir_set_personality", set_personality, METH_VARARGS, PyDoc_STR("ir_set_personality(function, personality)")},
    {"ir_set_convention", set_convention, METH_VARARGS, PyDoc_STR("ir_set_convention(function or call, number)")},
    {NULL, NULL, 0, NULL},
};
