/* Builders of calls, and of landing pads.
   Requires: a build site (ir_building.h).
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: the callee's type matches, and void calls have
   no name. */
#include <string.h>

#include "ir_build.h"

struct call {
  LLVMValueRef callee;
  LLVMTypeRef type;
  LLVMValueRef *arguments; /* freed by PyMem_Free */
  size_t count;
  LLVMOperandBundleRef *bundles; /* freed by PyMem_Free, each by LLVMDisposeOperandBundle */
  size_t bundle_count;
};

/* Resolves callee and function type: from a function or inline assembly, or from the type given with a pointer. */
static bool find_callee(struct build_site *site, PyObject *object, PyObject *wanted, struct call *call)
{
  struct site_text text;
  LLVMValueRef callee = core_ir_unwrap(site->state, object, site->module);
  bool assembly = callee && LLVMGetValueKind(callee) == LLVMInlineAsmValueKind;
  if (callee && !assembly)
    callee = site_operand(site, object, "the callee");
  if (!callee)
    return false;
  if (wanted != Py_None)
    call->type = site_type(site, wanted, "the type of the callee");
  else if (assembly)
    call->type = LLVMGetInlineAsmFunctionType(callee);
  else if (LLVMIsAFunction(callee))
    call->type = LLVMGlobalGetValueType(callee);
  else
    return site_raise(site, "the callee is not a function: pass the function type of the call");
  if (!call->type)
    return false;
  if (LLVMGetTypeKind(call->type) != LLVMFunctionTypeKind)
    return site_raise(site, "the type of a callee must be a function type, not %s",
                      site_type_text(site, call->type, &text));
  if (LLVMGetTypeKind(LLVMTypeOf(callee)) != LLVMPointerTypeKind)
    return site_raise(site, "the callee must be a pointer, not a value of type %s",
                      site_type_text(site, LLVMTypeOf(callee), &text));
  if (LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) && call->type != LLVMGlobalGetValueType(callee))
    return site_raise(site, "an intrinsic must be called with its own function type");
  call->callee = callee;
  return true;
}

static bool check_arguments(struct build_site *site, const struct call *call)
{
  struct site_text is, wanted;
  size_t fixed = LLVMCountParamTypes(call->type);
  if (call->count < fixed || (call->count > fixed && !LLVMIsFunctionVarArg(call->type)))
    return site_raise(site, "a function of type %s takes %zu arguments%s, not %zu",
                      site_type_text(site, call->type, &wanted), fixed,
                      LLVMIsFunctionVarArg(call->type) ? " or more" : "", call->count);
  LLVMTypeRef *types = PyMem_Malloc((fixed + 1) * sizeof *types);
  if (!types)
    return PyErr_NoMemory();
  LLVMGetParamTypes(call->type, types);
  bool fits = true;
  for (size_t i = 0; i < call->count && fits; i++) {
    LLVMTypeRef type = LLVMTypeOf(call->arguments[i]);
    if (i < fixed && type != types[i])
      fits = site_raise(site, "argument %zu has type %s; it must have type %s", i + 1, site_type_text(site, type, &is),
                        site_type_text(site, types[i], &wanted));
    else if (i >= fixed && !site_is_value(type))
      fits = site_raise(site, "argument %zu has type %s, which cannot be passed to a function", i + 1,
                        site_type_text(site, type, &is));
  }
  PyMem_Free(types);
  return fits;
}

/* ---- Operand bundles ---- */

static LLVMOperandBundleRef make_bundle(struct build_site *site, PyObject *pair)
{
  struct site_text text;
  const char *tag;
  Py_ssize_t length;
  PyObject *list;
  size_t count;
  if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "y#O;a bundle must be (tag, values)", &tag, &length, &list))
    return PyErr_Occurred() ? NULL : (void *)PyErr_Format(PyExc_TypeError, "a bundle must be a tuple, not %R", pair);
  LLVMValueRef *values = site_operands(site, list, &count, "the values of a bundle");
  bool fits = values;
  for (size_t i = 0; fits && i < count; i++)
    if (!site_is_value(LLVMTypeOf(values[i])))
      fits = site_raise(site, "a bundle cannot hold a value of type %s",
                        site_type_text(site, LLVMTypeOf(values[i]), &text));
  LLVMOperandBundleRef made = fits ? LLVMCreateOperandBundle(tag, (size_t)length, values, (unsigned)count) : NULL;
  PyMem_Free(values);
  return made;
}

static bool make_bundles(struct build_site *site, PyObject *list, struct call *call)
{
  if (!PyTuple_Check(list))
    return PyErr_Format(PyExc_TypeError, "bundles must be a tuple, not %R", list);
  size_t count = (size_t)PyTuple_Size(list);
  call->bundles = PyMem_Calloc(count + 1, sizeof *call->bundles);
  if (!call->bundles)
    return PyErr_NoMemory();
  for (; call->bundle_count < count; call->bundle_count++) {
    LLVMOperandBundleRef made = make_bundle(site, PyTuple_GetItem(list, (Py_ssize_t)call->bundle_count));
    if (!made)
      return false;
    call->bundles[call->bundle_count] = made;
  }
  return true;
}

static void free_call(struct call *call)
{
  for (size_t i = 0; i < call->bundle_count; i++)
    LLVMDisposeOperandBundle(call->bundles[i]);
  PyMem_Free(call->bundles);
  PyMem_Free(call->arguments);
}

static bool prepare_call(struct build_site *site, PyObject *callee, PyObject *type, PyObject *arguments,
                         PyObject *bundles, struct call *call)
{
  if (!find_callee(site, callee, type, call) || !make_bundles(site, bundles, call))
    return false;
  call->arguments = site_operands(site, arguments, &call->count, "the arguments");
  if (!call->arguments || !check_arguments(site, call))
    return false;
  bool nothing = LLVMGetTypeKind(LLVMGetReturnType(call->type)) == LLVMVoidTypeKind;
  return !nothing || !*site->name || site_raise(site, "a call without a result cannot have a name");
}

/* A call adopts its callee's calling convention; a mismatch is undefined behavior. */
static void adopt_convention(LLVMValueRef built, LLVMValueRef callee)
{
  if (LLVMIsAFunction(callee))
    LLVMSetInstructionCallConv(built, LLVMGetFunctionCallConv(callee));
}

static int tail_of(const char *word)
{
  static const char *const words[] = {"", "tail", "musttail", "notail"}; /* indexed by LLVMTailCallKind */
  for (int i = 0; i < 4; i++)
    if (!strcmp(words[i], word))
      return i;
  return -1;
}

LLVMValueRef ir_build_call(struct build_site *site, PyObject *args)
{
  PyObject *given, *callee, *type, *arguments, *bundles;
  const char *word;
  unsigned fast;
  struct call call = {0};
  if (!PyArg_ParseTuple(args, "OOOOOsI:call", &given, &callee, &type, &arguments, &bundles, &word, &fast))
    return NULL;
  int tail = tail_of(word);
  if (tail < 0)
    return site_raise(site, "the tail marker of a call must be 'tail', 'musttail', 'notail' or empty, not '%.40s'",
                      word);
  LLVMValueRef built = NULL;
  if (prepare_call(site, callee, type, arguments, bundles, &call)) {
    built = LLVMBuildCallWithOperandBundles(site->builder, call.type, call.callee, call.arguments, (unsigned)call.count,
                                            call.bundles, (unsigned)call.bundle_count, site->name);
    adopt_convention(built, call.callee);
    LLVMSetTailCallKind(built, (LLVMTailCallKind)tail);
    ir_set_fast(built, fast);
  }
  free_call(&call);
  return built;
}

LLVMValueRef ir_build_invoke(struct build_site *site, PyObject *args)
{
  PyObject *given, *callee, *type, *arguments, *bundles, *then, *otherwise;
  struct call call = {0};
  if (!PyArg_ParseTuple(args, "OOOOOOO:invoke", &given, &callee, &type, &arguments, &bundles, &then, &otherwise))
    return NULL;
  LLVMBasicBlockRef normal = site_block(site, then, "the normal destination of an invoke");
  LLVMBasicBlockRef unwind = normal ? site_block(site, otherwise, "the unwind destination of an invoke") : NULL;
  LLVMValueRef built = NULL;
  if (unwind && prepare_call(site, callee, type, arguments, bundles, &call)) {
    built =
        LLVMBuildInvokeWithOperandBundles(site->builder, call.type, call.callee, call.arguments, (unsigned)call.count,
                                          normal, unwind, call.bundles, (unsigned)call.bundle_count, site->name);
    adopt_convention(built, call.callee);
  }
  free_call(&call);
  return built;
}

LLVMValueRef ir_build_landingpad(struct build_site *site, PyObject *args)
{
  PyObject *given, *wanted, *clauses;
  int cleanup;
  size_t count;
  struct site_text text;
  if (!PyArg_ParseTuple(args, "OOOp:landingpad", &given, &wanted, &clauses, &cleanup))
    return NULL;
  LLVMTypeRef type = site_type(site, wanted, "the type of a landingpad");
  LLVMValueRef *values = type ? site_operands(site, clauses, &count, "the clauses") : NULL;
  if (!values)
    return NULL;
  bool fits = site_is_value(type) && LLVMGetTypeKind(type) != LLVMTokenTypeKind;
  if (!fits)
    site_raise(site, "a landingpad cannot have type %s", site_type_text(site, type, &text));
  for (size_t i = 0; i < count && fits; i++) {
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(values[i]));
    fits = LLVMIsConstant(values[i]) && (kind == LLVMPointerTypeKind || kind == LLVMArrayTypeKind);
    if (!fits)
      site_raise(site, "a clause must be a constant: a pointer for catch, or an array of pointers for filter");
  }
  LLVMValueRef built = fits ? LLVMBuildLandingPad(site->builder, type, NULL, (unsigned)count, site->name) : NULL;
  for (size_t i = 0; built && i < count; i++)
    LLVMAddClause(built, values[i]);
  if (built)
    LLVMSetCleanup(built, cleanup);
  PyMem_Free(values);
  return built;
}
