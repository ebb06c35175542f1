/* Builders of calls, and of landing pads.
   Requires: a build site (ir_building.h).
   Guarantees: see ir_builders.def. Checked here because LLVM-C does not: the callee's type matches, and void calls have
   no name. */
#include <string.h>

#include "ir_building.h"
#include "ir_keywords.h"

struct call {
  LLVMValueRef callee;
  LLVMTypeRef type;
  const struct site_values *arguments;
  LLVMOperandBundleRef *bundles; /* freed by PyMem_Free, each by LLVMDisposeOperandBundle */
  size_t bundle_count;
};

/* Resolves callee and function type: from a function or inline assembly, or from the type given with a pointer. */
static bool find_callee(struct build_site *site, PyObject *object, PyObject *wanted, struct call *call)
{
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
    return site_raise_usage_error(site, "the callee is not a function: pass the function type of the call");
  if (!call->type)
    return false;
  if (LLVMGetTypeKind(call->type) != LLVMFunctionTypeKind)
    return site_raise_usage_error(site, "the type of a callee must be a function type, not %s",
                                  site_text_of_type(site, call->type));
  if (LLVMGetTypeKind(LLVMTypeOf(callee)) != LLVMPointerTypeKind)
    return site_raise_usage_error(site, "the callee must be a pointer, not a value of type %s",
                                  site_text_of_type(site, LLVMTypeOf(callee)));
  if (LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) && call->type != LLVMGlobalGetValueType(callee))
    return site_raise_usage_error(site, "an intrinsic must be called with its own function type");
  call->callee = callee;
  return true;
}

static bool check_arguments(struct build_site *site, const struct call *call)
{
  size_t fixed = LLVMCountParamTypes(call->type);
  size_t count = call->arguments->count;
  if (count < fixed || (count > fixed && !LLVMIsFunctionVarArg(call->type)))
    return site_raise_usage_error(site, "a function of type %s takes %zu arguments%s, not %zu",
                                  site_text_of_type(site, call->type), fixed,
                                  LLVMIsFunctionVarArg(call->type) ? " or more" : "", count);
  LLVMTypeRef *types = PyMem_Malloc((fixed + 1) * sizeof *types);
  if (!types)
    return PyErr_NoMemory();
  LLVMGetParamTypes(call->type, types);
  bool fits = true;
  for (size_t i = 0; i < count && fits; i++) {
    LLVMTypeRef type = LLVMTypeOf(call->arguments->items[i]);
    if (i < fixed && type != types[i])
      fits = site_raise_usage_error(site, "argument %zu has type %s; it must have type %s", i + 1,
                                    site_text_of_type(site, type), site_text_of_type(site, types[i]));
    else if (i >= fixed && !site_is_value_type(type))
      fits = site_raise_usage_error(site, "argument %zu has type %s, which cannot be passed to a function", i + 1,
                                    site_text_of_type(site, type));
  }
  PyMem_Free(types);
  return fits;
}

/* ---- Operand bundles ---- */

static LLVMOperandBundleRef make_operand_bundle(struct build_site *site, PyObject *pair)
{
  const char *tag;
  Py_ssize_t length;
  PyObject *list;
  if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "y#O;a bundle must be (tag, values)", &tag, &length, &list))
    return PyErr_Occurred()
               ? NULL
               : (void *)PyErr_Format(PyExc_TypeError,
                                      "a bundle must be a tuple (tag, values), such as (\"deopt\", [x]), not %R", pair);
  struct site_values *values = site_parse_operands(site, list, "the values of a bundle");
  for (size_t i = 0; values && i < values->count; i++)
    if (!site_is_value_type(LLVMTypeOf(values->items[i])))
      return site_raise_usage_error(site, "a bundle cannot hold a value of type %s",
                                    site_text_of_type(site, LLVMTypeOf(values->items[i])));
  return values ? LLVMCreateOperandBundle(tag, (size_t)length, values->items, (unsigned)values->count) : NULL;
}

static bool make_operand_bundles(struct build_site *site, PyObject *list, struct call *call)
{
  if (!PyTuple_Check(list))
    return PyErr_Format(PyExc_TypeError, "bundles must be a tuple, not %R", list);
  size_t count = (size_t)PyTuple_Size(list);
  call->bundles = PyMem_Calloc(count + 1, sizeof *call->bundles);
  if (!call->bundles)
    return PyErr_NoMemory();
  for (; call->bundle_count < count; call->bundle_count++) {
    LLVMOperandBundleRef made = make_operand_bundle(site, PyTuple_GetItem(list, (Py_ssize_t)call->bundle_count));
    if (!made)
      return false;
    call->bundles[call->bundle_count] = made;
  }
  return true;
}

static void free_operand_bundles(struct call *call)
{
  for (size_t i = 0; i < call->bundle_count; i++)
    LLVMDisposeOperandBundle(call->bundles[i]);
  PyMem_Free(call->bundles);
}

static bool prepare_call(struct build_site *site, PyObject *callee, PyObject *type, PyObject *bundles,
                         struct call *call)
{
  if (!find_callee(site, callee, type, call) || !make_operand_bundles(site, bundles, call) ||
      !check_arguments(site, call))
    return false;
  bool nothing = LLVMGetTypeKind(LLVMGetReturnType(call->type)) == LLVMVoidTypeKind;
  return !nothing || !*site->name || site_raise_usage_error(site, "a call without a result cannot have a name");
}

/* A call adopts its callee's calling convention; a mismatch is undefined behavior. */
static void adopt_calling_convention(LLVMValueRef built, LLVMValueRef callee)
{
  if (LLVMIsAFunction(callee))
    LLVMSetInstructionCallConv(built, LLVMGetFunctionCallConv(callee));
}

LLVMValueRef ir_build_call(struct build_site *site, PyObject *args)
{
  PyObject *callee, *type, *bundles;
  struct site_values *arguments;
  const char *word;
  unsigned fast;
  if (!site_parse(site, args, "OOLOsI", &callee, &type, &arguments, "the arguments", &bundles, &word, &fast))
    return NULL;
  struct call call = {.arguments = arguments};
  int tail = ir_keyword_number(&ir_tail_markers, word);
  if (tail < 0)
    return site_raise_usage_error(
        site, "the tail marker of a call must be 'tail', 'musttail', 'notail' or empty, not '%.40s'", word);
  LLVMValueRef built = NULL;
  if (prepare_call(site, callee, type, bundles, &call)) {
    built = LLVMBuildCallWithOperandBundles(site->builder, call.type, call.callee, arguments->items,
                                            (unsigned)arguments->count, call.bundles, (unsigned)call.bundle_count,
                                            site->name);
    adopt_calling_convention(built, call.callee);
    LLVMSetTailCallKind(built, (LLVMTailCallKind)tail);
    ir_set_fast_math_if_instruction(built, fast);
  }
  free_operand_bundles(&call);
  return built;
}

LLVMValueRef ir_build_invoke(struct build_site *site, PyObject *args)
{
  PyObject *callee, *type, *bundles;
  struct site_values *arguments;
  LLVMBasicBlockRef normal, unwind;
  if (!site_parse(site, args, "OOLOBB", &callee, &type, &arguments, "the arguments", &bundles, &normal,
                  "the normal destination of an invoke", &unwind, "the unwind destination of an invoke"))
    return NULL;
  struct call call = {.arguments = arguments};
  LLVMValueRef built = NULL;
  if (prepare_call(site, callee, type, bundles, &call)) {
    built = LLVMBuildInvokeWithOperandBundles(site->builder, call.type, call.callee, arguments->items,
                                              (unsigned)arguments->count, normal, unwind, call.bundles,
                                              (unsigned)call.bundle_count, site->name);
    adopt_calling_convention(built, call.callee);
  }
  free_operand_bundles(&call);
  return built;
}

LLVMValueRef ir_build_landingpad(struct build_site *site, PyObject *args)
{
  LLVMTypeRef type;
  struct site_values *clauses;
  int cleanup;
  if (!site_parse(site, args, "TLp", &type, "the type of a landingpad", &clauses, "the clauses", &cleanup))
    return NULL;
  if (!site_is_data_type(type))
    return site_raise_usage_error(site, "a landingpad cannot have type %s", site_text_of_type(site, type));
  for (size_t i = 0; i < clauses->count; i++) {
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(clauses->items[i]));
    if (!LLVMIsConstant(clauses->items[i]) || (kind != LLVMPointerTypeKind && kind != LLVMArrayTypeKind))
      return site_raise_usage_error(
          site, "a clause must be a constant: a pointer for catch, or an array of pointers for filter");
  }
  LLVMValueRef built = LLVMBuildLandingPad(site->builder, type, NULL, (unsigned)clauses->count, site->name);
  for (size_t i = 0; i < clauses->count; i++)
    LLVMAddClause(built, clauses->items[i]);
  LLVMSetCleanup(built, cleanup);
  return built;
}
