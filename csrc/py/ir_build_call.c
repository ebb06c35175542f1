/* Building calls, and the pads where they throw to.
   Needs: a place. Leaves: see ir_builds.def. LLVM takes on trust: that a callee is called with the type that is
   said, and that what has no value has no name. */
#include <string.h>

#include "ir_build.h"

struct call {
  LLVMValueRef callee;
  LLVMTypeRef type;
  LLVMValueRef *arguments; /* PyMem_Free */
  size_t count;
};

/* What is called: a function by its own type, assembly by its, a pointer by the type that is given. */
static bool find_callee(struct place *place, PyObject *object, PyObject *wanted, struct call *call)
{
  struct place_text text;
  LLVMValueRef callee = core_ir_unwrap(place->state, object, place->module);
  bool assembly = callee && LLVMGetValueKind(callee) == LLVMInlineAsmValueKind;
  if (callee && !assembly)
    callee = place_operand(place, object, "what is called");
  if (!callee)
    return false;
  if (wanted != Py_None)
    call->type = place_type(place, wanted, "the type of what is called");
  else if (assembly)
    call->type = LLVMGetInlineAsmFunctionType(callee);
  else if (LLVMIsAFunction(callee))
    call->type = LLVMGlobalGetValueType(callee);
  else
    return place_refuse(place, "what is called is no function: say of which type it is");
  if (!call->type)
    return false;
  if (LLVMGetTypeKind(call->type) != LLVMFunctionTypeKind)
    return place_refuse(place, "what is called is of a function's type, not %s",
                        place_type_text(place, call->type, &text));
  if (LLVMGetTypeKind(LLVMTypeOf(callee)) != LLVMPointerTypeKind)
    return place_refuse(place, "what is called is a pointer, not a value of type %s",
                        place_type_text(place, LLVMTypeOf(callee), &text));
  if (LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) && call->type != LLVMGlobalGetValueType(callee))
    return place_refuse(place, "an intrinsic is called by its own type");
  call->callee = callee;
  return true;
}

static bool check_arguments(struct place *place, const struct call *call)
{
  struct place_text is, wanted;
  size_t fixed = LLVMCountParamTypes(call->type);
  if (call->count < fixed || (call->count > fixed && !LLVMIsFunctionVarArg(call->type)))
    return place_refuse(place, "a function of type %s takes %zu arguments%s, not %zu",
                        place_type_text(place, call->type, &wanted), fixed,
                        LLVMIsFunctionVarArg(call->type) ? " or more" : "", call->count);
  LLVMTypeRef *types = PyMem_Malloc((fixed + 1) * sizeof *types);
  if (!types)
    return PyErr_NoMemory();
  LLVMGetParamTypes(call->type, types);
  bool fits = true;
  for (size_t i = 0; i < call->count && fits; i++) {
    LLVMTypeRef type = LLVMTypeOf(call->arguments[i]);
    if (i < fixed && type != types[i])
      fits = place_refuse(place, "argument %zu is of type %s, and has to be of type %s", i + 1,
                          place_type_text(place, type, &is), place_type_text(place, types[i], &wanted));
    else if (i >= fixed && !place_is_value(type))
      fits = place_refuse(place, "argument %zu is of type %s, which is passed to no function", i + 1,
                          place_type_text(place, type, &is));
  }
  PyMem_Free(types);
  return fits;
}

static bool prepare(struct place *place, PyObject *callee, PyObject *type, PyObject *arguments, struct call *call)
{
  call->arguments = NULL;
  if (!find_callee(place, callee, type, call))
    return false;
  call->arguments = place_operands(place, arguments, &call->count, "the arguments");
  if (!call->arguments || !check_arguments(place, call))
    return false;
  bool nothing = LLVMGetTypeKind(LLVMGetReturnType(call->type)) == LLVMVoidTypeKind;
  return !nothing || !*place->name || place_refuse(place, "a call that gives nothing has no name");
}

/* A function is called by its own convention: another one is undefined. */
static void adopt_convention(LLVMValueRef built, LLVMValueRef callee)
{
  if (LLVMIsAFunction(callee))
    LLVMSetInstructionCallConv(built, LLVMGetFunctionCallConv(callee));
}

static int tail_of(const char *word)
{
  static const char *const words[] = {"", "tail", "musttail", "notail"}; /* by LLVMTailCallKind */
  for (int i = 0; i < 4; i++)
    if (!strcmp(words[i], word))
      return i;
  return -1;
}

LLVMValueRef ir_build_call(struct place *place, PyObject *args)
{
  PyObject *given, *callee, *type, *arguments;
  const char *word;
  unsigned fast;
  struct call call;
  if (!PyArg_ParseTuple(args, "OOOOsI:call", &given, &callee, &type, &arguments, &word, &fast))
    return NULL;
  int tail = tail_of(word);
  if (tail < 0)
    return place_refuse(place, "a call is 'tail', 'musttail', 'notail' or nothing of it, not '%.40s'", word);
  LLVMValueRef built = NULL;
  if (prepare(place, callee, type, arguments, &call)) {
    built = LLVMBuildCall2(place->builder, call.type, call.callee, call.arguments, (unsigned)call.count, place->name);
    adopt_convention(built, call.callee);
    LLVMSetTailCallKind(built, (LLVMTailCallKind)tail);
    ir_set_fast(built, fast);
  }
  PyMem_Free(call.arguments);
  return built;
}

LLVMValueRef ir_build_invoke(struct place *place, PyObject *args)
{
  PyObject *given, *callee, *type, *arguments, *then, *otherwise;
  struct call call;
  if (!PyArg_ParseTuple(args, "OOOOOO:invoke", &given, &callee, &type, &arguments, &then, &otherwise))
    return NULL;
  LLVMBasicBlockRef normal = place_block(place, then, "where an invoke goes on");
  LLVMBasicBlockRef unwind = normal ? place_block(place, otherwise, "where an invoke unwinds to") : NULL;
  LLVMValueRef built = NULL;
  call.arguments = NULL;
  if (unwind && prepare(place, callee, type, arguments, &call)) {
    built = LLVMBuildInvoke2(place->builder, call.type, call.callee, call.arguments, (unsigned)call.count, normal,
                             unwind, place->name);
    adopt_convention(built, call.callee);
  }
  PyMem_Free(call.arguments);
  return built;
}

LLVMValueRef ir_build_landingpad(struct place *place, PyObject *args)
{
  PyObject *given, *wanted, *clauses;
  int cleanup;
  size_t count;
  struct place_text text;
  if (!PyArg_ParseTuple(args, "OOOp:landingpad", &given, &wanted, &clauses, &cleanup))
    return NULL;
  LLVMTypeRef type = place_type(place, wanted, "the type of a landingpad");
  LLVMValueRef *values = type ? place_operands(place, clauses, &count, "the clauses") : NULL;
  if (!values)
    return NULL;
  bool fits = place_is_value(type) && LLVMGetTypeKind(type) != LLVMTokenTypeKind;
  if (!fits)
    place_refuse(place, "there are no landingpads of type %s", place_type_text(place, type, &text));
  for (size_t i = 0; i < count && fits; i++) {
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(values[i]));
    fits = LLVMIsConstant(values[i]) && (kind == LLVMPointerTypeKind || kind == LLVMArrayTypeKind);
    if (!fits)
      place_refuse(place, "a clause is a constant: a pointer to catch by, or an array of them to filter by");
  }
  LLVMValueRef built = fits ? LLVMBuildLandingPad(place->builder, type, NULL, (unsigned)count, place->name) : NULL;
  for (size_t i = 0; built && i < count; i++)
    LLVMAddClause(built, values[i]);
  if (built)
    LLVMSetCleanup(built, cleanup);
  PyMem_Free(values);
  return built;
}
