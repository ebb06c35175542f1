/* Declares intrinsics from a name and the types of a call. LLVM-C does not expose how many overloaded types an
   intrinsic has, so candidate declarations are verified in a scratch module.
   Requires: ir_building.h.
   Guarantees: one declaration per intrinsic type. */
#include <string.h>

#include "ir_building.h"
#include "llvm-c/Analysis.h"

static const char SHOULD_BE[] = "Should be: ";

struct asked {
  struct place *place;
  char name[512];
  const LLVMValueRef *arguments;
  size_t count;
  LLVMTypeRef result;
  bool variadic;
  size_t fixed; /* number of fixed parameters: all, unless it is variadic */
};

static LLVMTypeRef type_of(const struct asked *asked)
{
  LLVMTypeRef *types = PyMem_Malloc((asked->count + 1) * sizeof *types);
  for (size_t i = 0; types && i < asked->fixed; i++)
    types[i] = LLVMTypeOf(asked->arguments[i]);
  LLVMTypeRef type = types ? LLVMFunctionType(asked->result, types, (unsigned)asked->fixed, asked->variadic) : NULL;
  PyMem_Free(types);
  return type;
}

static bool is_number(LLVMValueRef value)
{
  return LLVMIsAConstantInt(value) || LLVMIsAConstantFP(value) ||
         LLVMGetValueKind(value) == LLVMMetadataAsValueValueKind;
}

/* An alloca: some intrinsics accept no other address (llvm.lifetime.start). */
static LLVMValueRef address_argument(LLVMBuilderRef builder, LLVMContextRef context, LLVMValueRef parameter)
{
  LLVMTypeRef type = LLVMTypeOf(parameter);
  bool plain = LLVMGetTypeKind(type) == LLVMPointerTypeKind && !LLVMGetPointerAddressSpace(type);
  return plain ? LLVMBuildAlloca(builder, LLVMInt8TypeInContext(context), "") : parameter;
}

/* Builds a function in `scratch` that calls the intrinsic. Operands are the given constants (for immarg parameters),
   allocas for pointers, and function parameters otherwise. */
static void build_call(const struct asked *asked, LLVMModuleRef scratch, LLVMTypeRef type, LLVMValueRef *arguments)
{
  LLVMContextRef context = asked->place->context;
  LLVMTypeRef *types = (LLVMTypeRef *)(void *)arguments; /* each item is read before it is overwritten */
  unsigned parameters = 0;
  for (size_t i = 0; i < asked->count; i++)
    if (!is_number(asked->arguments[i]))
      types[parameters++] = LLVMTypeOf(asked->arguments[i]);
  LLVMTypeRef taken = LLVMFunctionType(LLVMVoidTypeInContext(context), types, parameters, false);
  LLVMValueRef function = LLVMAddFunction(scratch, "f", taken), callee = LLVMAddFunction(scratch, asked->name, type);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
  parameters = 0;
  for (size_t i = 0; i < asked->count; i++)
    arguments[i] = is_number(asked->arguments[i])
                       ? asked->arguments[i]
                       : address_argument(builder, context, LLVMGetParam(function, parameters++));
  LLVMBuildCall2(builder, type, callee, arguments, (unsigned)asked->count, "");
  LLVMBuildUnreachable(builder);
  LLVMDisposeBuilder(builder);
}

/* Takes the mangled name for these types from the verifier's message, if it differs. */
static bool read_mangled_name(struct asked *asked, const char *message)
{
  const char *right = strstr(message, SHOULD_BE);
  size_t length = right ? strcspn(right + strlen(SHOULD_BE), "\n ") : 0;
  if (!length || length >= sizeof asked->name)
    return false;
  memcpy(asked->name, right + strlen(SHOULD_BE), length);
  asked->name[length] = 0;
  return true;
}

/* The function type if the verifier accepts it with these arguments and result, else NULL. */
static LLVMTypeRef verified_type(struct asked *asked)
{
  LLVMTypeRef type = type_of(asked);
  LLVMValueRef *arguments = PyMem_Malloc((asked->count + 1) * sizeof *arguments);
  bool fits = false;
  for (int tries = 0; tries < 2 && type && arguments && !fits; tries++) {
    char *message = NULL;
    LLVMModuleRef scratch = LLVMModuleCreateWithNameInContext("", asked->place->context);
    build_call(asked, scratch, type, arguments);
    fits = !LLVMVerifyModule(scratch, LLVMReturnStatusAction, &message);
    bool again = !fits && message && read_mangled_name(asked, message);
    LLVMDisposeMessage(message);
    LLVMDisposeModule(scratch);
    if (!again)
      break;
  }
  PyMem_Free(arguments);
  return fits ? type : NULL;
}

enum { MOST_FIXED = 3 }; /* fixed parameters of the variadic overloaded llvm.coro.suspend.async */

/* The function type for these arguments and this result, fixed or variadic. A variadic overloaded intrinsic accepts
   any result, so the caller must state the result (`said`). */
static LLVMTypeRef verified_fixed_or_variadic(struct asked *asked, bool said)
{
  asked->variadic = false;
  asked->fixed = asked->count;
  strcpy(asked->name, asked->place->name);
  LLVMTypeRef type = verified_type(asked);
  asked->variadic = true;
  for (asked->fixed = 0; said && !type && asked->fixed <= MOST_FIXED && asked->fixed <= asked->count; asked->fixed++) {
    strcpy(asked->name, asked->place->name);
    type = verified_type(asked);
  }
  return type;
}

/* LLVM ends the process when it mangles some overload types. */
static bool can_be_spelt(const struct asked *asked)
{
  for (size_t i = 0; i < asked->count; i++)
    if (LLVMGetTypeKind(LLVMTypeOf(asked->arguments[i])) == LLVMTokenTypeKind)
      return false;
  return true;
}

static LLVMValueRef find_plain(struct place *place, unsigned id)
{
  LLVMTypeRef type = LLVMIntrinsicGetType(place->context, id, NULL, 0);
  size_t length;
  const char *name = LLVMIntrinsicGetName(id, &length);
  if (strcmp(name, place->name))
    return place_refuse(place, "the intrinsic %.120s does not exist; the closest name is %.120s", place->name, name);
  if (LLVMGetNamedGlobal(place->llvm, name))
    return place_refuse(place, "a global variable already has the name of the intrinsic %.120s", name);
  LLVMValueRef function = LLVMGetNamedFunction(place->llvm, name);
  if (!function)
    return LLVMGetIntrinsicDeclaration(place->llvm, id, NULL, 0);
  return LLVMGlobalGetValueType(function) == type
             ? function
             : place_refuse(place, "the module declares %.120s with another type", name);
}

/* LLVM adds an intrinsic's attributes to a function with its name. */
static LLVMValueRef declare_intrinsic(struct asked *asked, LLVMTypeRef type)
{
  LLVMModuleRef module = asked->place->llvm;
  LLVMValueRef function = LLVMGetNamedFunction(module, asked->name);
  if (!function && !LLVMGetNamedGlobal(module, asked->name))
    return LLVMAddFunction(module, asked->name, type);
  return function && LLVMGlobalGetValueType(function) == type
             ? function
             : place_refuse(asked->place, "the module has a different @%.120s", asked->name);
}

static LLVMValueRef find_overloaded(struct place *place, const LLVMValueRef *arguments, size_t count, PyObject *results)
{
  struct asked asked = {place, "", arguments, count, NULL, false, count};
  if (strlen(place->name) >= sizeof asked.name)
    return place_refuse(place, "the name is longer than that of any intrinsic");
  if (!can_be_spelt(&asked))
    return place_refuse(place, "calls of %.120s cannot be declared with a token: parse them as text", place->name);
  for (Py_ssize_t i = 0; i < PyTuple_Size(results); i++) {
    asked.result = place_type(place, PyTuple_GetItem(results, i), "the result of an intrinsic");
    if (!asked.result)
      return NULL;
    bool possible = LLVMGetTypeKind(asked.result) == LLVMVoidTypeKind || place_is_value(asked.result);
    possible &= LLVMGetTypeKind(asked.result) != LLVMTokenTypeKind;
    LLVMTypeRef type = possible ? verified_fixed_or_variadic(&asked, PyTuple_Size(results) == 1) : NULL;
    if (type)
      return declare_intrinsic(&asked, type);
  }
  return place_refuse(place, "%.120s does not take these %zu arguments, or its result type must be given", place->name,
                      count);
}

static bool check_argument(struct place *place, LLVMTypeRef type)
{
  struct place_text text;
  return place_is_value(type) || LLVMGetTypeKind(type) == LLVMMetadataTypeKind ||
         place_refuse(place, "a function cannot have an argument of type %s", place_type_text(place, type, &text));
}

/* ir_make_intrinsic(module, name, arguments, results): tries the results of an overloaded intrinsic in order. */
static PyObject *make_intrinsic(PyObject *core, PyObject *args)
{
  PyObject *module, *name, *list, *results;
  struct place place;
  size_t count = 0;
  if (!PyArg_ParseTuple(args, "OOOO!:ir_make_intrinsic", &module, &name, &list, &PyTuple_Type, &results) ||
      !PyTuple_Check(list))
    return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "the arguments must be a tuple");
  if (!place_enter_module(core, module, &place))
    return NULL;
  LLVMValueRef function = NULL, *arguments = NULL;
  unsigned id = place_name(&place, name) ? LLVMLookupIntrinsicID(place.name, strlen(place.name)) : 0;
  if (!id && place.name)
    place_refuse(&place, "the intrinsic %.120s does not exist", place.name);
  if (id)
    arguments = PyMem_Malloc(((size_t)PyTuple_Size(list) + 1) * sizeof *arguments);
  for (bool fits = arguments; fits && count < (size_t)PyTuple_Size(list); count += fits) {
    arguments[count] = core_ir_unwrap(place.state, PyTuple_GetItem(list, (Py_ssize_t)count), module);
    fits = arguments[count] && check_argument(&place, LLVMTypeOf(arguments[count]));
  }
  if (arguments && count == (size_t)PyTuple_Size(list))
    function =
        LLVMIntrinsicIsOverloaded(id) ? find_overloaded(&place, arguments, count, results) : find_plain(&place, id);
  PyMem_Free(arguments);
  return place_leave(&place, function, !function);
}

PyMethodDef core_ir_intrinsic_methods[] = {
    {"ir_make_intrinsic", make_intrinsic, METH_VARARGS,
     PyDoc_STR("ir_make_intrinsic(module, name, arguments, results)")},
    {NULL, NULL, 0, NULL},
};
