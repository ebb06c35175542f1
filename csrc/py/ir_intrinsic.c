/* Declares intrinsics from a name and the types of a call. LLVM-C does not expose how many overloaded types an
   intrinsic has, so candidate declarations are verified in a scratch module.
   Requires: ir_building.h.
   Guarantees: one declaration per intrinsic type. */
#include <string.h>

#include "ir_building.h"
#include "llvm-c/Analysis.h"

static const char SHOULD_BE[] = "Should be: ";

struct intrinsic_request {
  struct build_site *site;
  char name[512];
  const LLVMValueRef *arguments;
  size_t count;
  LLVMTypeRef result;
  bool variadic;
  size_t fixed; /* number of fixed parameters: all, unless it is variadic */
};

static LLVMTypeRef function_type_of_request(const struct intrinsic_request *request)
{
  LLVMTypeRef *types = PyMem_Malloc((request->count + 1) * sizeof *types);
  for (size_t i = 0; types && i < request->fixed; i++)
    types[i] = LLVMTypeOf(request->arguments[i]);
  LLVMTypeRef type =
      types ? LLVMFunctionType(request->result, types, (unsigned)request->fixed, request->variadic) : NULL;
  PyMem_Free(types);
  return type;
}

static bool is_immediate_or_metadata(LLVMValueRef value)
{
  return LLVMIsAConstantInt(value) || LLVMIsAConstantFP(value) ||
         LLVMGetValueKind(value) == LLVMMetadataAsValueValueKind;
}

/* An alloca: some intrinsics accept no other address (llvm.lifetime.start). */
static LLVMValueRef make_alloca_for_pointer_argument(LLVMBuilderRef builder, LLVMContextRef context,
                                                     LLVMValueRef parameter)
{
  LLVMTypeRef type = LLVMTypeOf(parameter);
  bool plain = LLVMGetTypeKind(type) == LLVMPointerTypeKind && !LLVMGetPointerAddressSpace(type);
  return plain ? LLVMBuildAlloca(builder, LLVMInt8TypeInContext(context), "") : parameter;
}

/* Builds a function in `scratch` that calls the intrinsic. Operands are the given constants (for immarg parameters),
   allocas for pointers, and function parameters otherwise. */
static void build_trial_call(const struct intrinsic_request *request, LLVMModuleRef scratch, LLVMTypeRef type,
                             LLVMValueRef *arguments)
{
  LLVMContextRef context = request->site->context;
  LLVMTypeRef *types = (LLVMTypeRef *)(void *)arguments; /* each item is read before it is overwritten */
  unsigned parameters = 0;
  for (size_t i = 0; i < request->count; i++)
    if (!is_immediate_or_metadata(request->arguments[i]))
      types[parameters++] = LLVMTypeOf(request->arguments[i]);
  LLVMTypeRef taken = LLVMFunctionType(LLVMVoidTypeInContext(context), types, parameters, false);
  LLVMValueRef function = LLVMAddFunction(scratch, "f", taken), callee = LLVMAddFunction(scratch, request->name, type);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
  parameters = 0;
  for (size_t i = 0; i < request->count; i++)
    arguments[i] = is_immediate_or_metadata(request->arguments[i])
                       ? request->arguments[i]
                       : make_alloca_for_pointer_argument(builder, context, LLVMGetParam(function, parameters++));
  LLVMBuildCall2(builder, type, callee, arguments, (unsigned)request->count, "");
  LLVMBuildUnreachable(builder);
  LLVMDisposeBuilder(builder);
}

/* Takes the mangled name for these types from the verifier's message, if it differs. */
static bool read_mangled_name(struct intrinsic_request *request, const char *message)
{
  const char *right = strstr(message, SHOULD_BE);
  size_t length = right ? strcspn(right + strlen(SHOULD_BE), "\n ") : 0;
  if (!length || length >= sizeof request->name)
    return false;
  memcpy(request->name, right + strlen(SHOULD_BE), length);
  request->name[length] = 0;
  return true;
}

/* The function type if the verifier accepts it with these arguments and result, else NULL. */
static LLVMTypeRef find_type_accepted_by_verifier(struct intrinsic_request *request)
{
  LLVMTypeRef type = function_type_of_request(request);
  LLVMValueRef *arguments = PyMem_Malloc((request->count + 1) * sizeof *arguments);
  bool fits = false;
  for (int tries = 0; tries < 2 && type && arguments && !fits; tries++) {
    char *message = NULL;
    LLVMModuleRef scratch = LLVMModuleCreateWithNameInContext("", request->site->context);
    build_trial_call(request, scratch, type, arguments);
    fits = !LLVMVerifyModule(scratch, LLVMReturnStatusAction, &message);
    bool again = !fits && message && read_mangled_name(request, message);
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
   any result, so the caller must state the result (`result_is_given`). */
static LLVMTypeRef find_accepted_fixed_or_variadic_type(struct intrinsic_request *request, bool result_is_given)
{
  request->variadic = false;
  request->fixed = request->count;
  strcpy(request->name, request->site->name);
  LLVMTypeRef type = find_type_accepted_by_verifier(request);
  request->variadic = true;
  for (request->fixed = 0; result_is_given && !type && request->fixed <= MOST_FIXED && request->fixed <= request->count;
       request->fixed++) {
    strcpy(request->name, request->site->name);
    type = find_type_accepted_by_verifier(request);
  }
  return type;
}

/* LLVM ends the process when it mangles some overload types. */
static bool has_no_token_argument(const struct intrinsic_request *request)
{
  for (size_t i = 0; i < request->count; i++)
    if (LLVMGetTypeKind(LLVMTypeOf(request->arguments[i])) == LLVMTokenTypeKind)
      return false;
  return true;
}

static LLVMValueRef declare_intrinsic_without_overloads(struct build_site *site, unsigned id)
{
  LLVMTypeRef type = LLVMIntrinsicGetType(site->context, id, NULL, 0);
  size_t length;
  const char *name = LLVMIntrinsicGetName(id, &length);
  if (strcmp(name, site->name))
    return site_raise_usage_error(site, "the intrinsic %.120s does not exist; the closest name is %.120s", site->name,
                                  name);
  if (LLVMGetNamedGlobal(site->llvm, name))
    return site_raise_usage_error(site, "a global variable already has the name of the intrinsic %.120s", name);
  LLVMValueRef function = LLVMGetNamedFunction(site->llvm, name);
  if (!function)
    return LLVMGetIntrinsicDeclaration(site->llvm, id, NULL, 0);
  return LLVMGlobalGetValueType(function) == type
             ? function
             : site_raise_usage_error(site, "the module declares %.120s with another type", name);
}

/* LLVM adds an intrinsic's attributes to a function with its name. */
static LLVMValueRef find_or_add_intrinsic_function(struct intrinsic_request *request, LLVMTypeRef type)
{
  LLVMModuleRef module = request->site->llvm;
  LLVMValueRef function = LLVMGetNamedFunction(module, request->name);
  if (!function && !LLVMGetNamedGlobal(module, request->name))
    return LLVMAddFunction(module, request->name, type);
  return function && LLVMGlobalGetValueType(function) == type
             ? function
             : site_raise_usage_error(request->site, "the module has a different @%.120s", request->name);
}

static LLVMValueRef declare_overloaded_intrinsic(struct build_site *site, const LLVMValueRef *arguments, size_t count,
                                                 PyObject *results)
{
  struct intrinsic_request request = {site, "", arguments, count, NULL, false, count};
  if (strlen(site->name) >= sizeof request.name)
    return site_raise_usage_error(site, "the name is longer than that of any intrinsic");
  if (!has_no_token_argument(&request))
    return site_raise_usage_error(site, "calls of %.120s cannot be declared with a token: parse them as text",
                                  site->name);
  for (Py_ssize_t i = 0; i < PyTuple_Size(results); i++) {
    request.result = site_type(site, PyTuple_GetItem(results, i), "the result of an intrinsic");
    if (!request.result)
      return NULL;
    bool possible = LLVMGetTypeKind(request.result) == LLVMVoidTypeKind || site_is_value_type(request.result);
    possible &= LLVMGetTypeKind(request.result) != LLVMTokenTypeKind;
    LLVMTypeRef type = possible ? find_accepted_fixed_or_variadic_type(&request, PyTuple_Size(results) == 1) : NULL;
    if (type)
      return find_or_add_intrinsic_function(&request, type);
  }
  return site_raise_usage_error(site, "%.120s does not take these %zu arguments, or its result type must be given",
                                site->name, count);
}

static bool check_intrinsic_argument(struct build_site *site, LLVMTypeRef type)
{
  return site_is_value_type(type) || LLVMGetTypeKind(type) == LLVMMetadataTypeKind ||
         site_raise_usage_error(site, "a function cannot have an argument of type %s", site_text_of_type(site, type));
}

/* Tries the results of an overloaded intrinsic in order. Arguments may be metadata, which are no operands. */
static LLVMValueRef declare_intrinsic_of_call(struct build_site *site, PyObject *list, LLVMValueRef *arguments,
                                              PyObject *results)
{
  size_t count = (size_t)PyTuple_Size(list);
  unsigned id = LLVMLookupIntrinsicID(site->name, strlen(site->name));
  if (!id)
    return site_raise_usage_error(site, "the intrinsic %.120s does not exist", site->name);
  for (size_t i = 0; i < count; i++) {
    arguments[i] = core_ir_unwrap(site->state, PyTuple_GetItem(list, (Py_ssize_t)i), site->module);
    if (!arguments[i] || !check_intrinsic_argument(site, LLVMTypeOf(arguments[i])))
      return NULL;
  }
  return LLVMIntrinsicIsOverloaded(id) ? declare_overloaded_intrinsic(site, arguments, count, results)
                                       : declare_intrinsic_without_overloads(site, id);
}

bool ir_change_make_intrinsic(struct build_site *site, PyObject *args)
{
  PyObject *list, *results;
  if (!site_parse(site, args, "NOO", &list, &results))
    return false;
  if (!PyTuple_Check(list) || !PyTuple_Check(results))
    return PyErr_Format(PyExc_TypeError, "the arguments and results of an intrinsic must be tuples");
  LLVMValueRef *arguments = PyMem_Malloc(((size_t)PyTuple_Size(list) + 1) * sizeof *arguments);
  if (!arguments)
    return PyErr_NoMemory();
  site->built = declare_intrinsic_of_call(site, list, arguments, results);
  PyMem_Free(arguments);
  return site->built;
}
