/* Queries of values, without those that have a file of their own: the rows IR_GETTER of ir_queries.def, and the
   functions of rows IR_QUERY.
   Requires: the module locked.
   Guarantees: see ir_queries.def. LLVM-C is only called for values that have the queried data. */
#include <string.h>

#include "ir.h"
#include "ir_keywords.h"

/* ---- Constants and metadata ---- */

/* An integer of any width, parsed from LLVM's signed text. UsageError if Python's limit of digits is exceeded. */
static PyObject *python_int_of_constant(struct core_state *state, LLVMValueRef value)
{
  if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 1)
    return PyLong_FromLong((long)LLVMConstIntGetZExtValue(value));
  if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
    return PyLong_FromLongLong(LLVMConstIntGetSExtValue(value));
  char *text = LLVMPrintValueToString(value);
  const char *digits = strrchr(text, ' ');
  PyObject *object = PyUnicode_FromString(digits ? digits + 1 : text);
  PyObject *result = object ? PyObject_CallFunction((PyObject *)&PyLong_Type, "O", object) : NULL;
  Py_XDECREF(object);
  LLVMDisposeMessage(text);
  if (!result && PyErr_ExceptionMatches(PyExc_ValueError)) {
    PyErr_Clear();
    core_raise_named(
        state, "UsageError",
        "the integer has more digits than Python converts; raise the limit with sys.set_int_max_str_digits");
  }
  return result;
}

/* Returns None for a float that double cannot represent exactly. */
static PyObject *python_float_of_constant_or_none(LLVMValueRef value)
{
  LLVMBool lost = false;
  double number = LLVMConstRealGetDouble(value, &lost);
  return lost ? Py_NewRef(Py_None) : PyFloat_FromDouble(number);
}

static PyObject *python_bytes_of_constant(LLVMValueRef value)
{
  size_t length = 0;
  const char *text = LLVMGetAsString(value, &length);
  return PyBytes_FromStringAndSize(text, (Py_ssize_t)length);
}

PyObject *ir_get_constant_value(struct value_object *self)
{
  LLVMValueRef value = self->value;
  LLVMTypeKind type = LLVMGetTypeKind(LLVMTypeOf(value));
  if (LLVMIsAConstantInt(value) && type == LLVMIntegerTypeKind)
    return python_int_of_constant(core_state_of(self->module), value);
  if (LLVMIsAConstantFP(value) && type != LLVMVectorTypeKind && type != LLVMScalableVectorTypeKind)
    return python_float_of_constant_or_none(value);
  if (LLVMIsAConstantDataArray(value) && LLVMIsConstantString(value))
    return python_bytes_of_constant(value);
  return Py_NewRef(Py_None);
}

PyObject *ir_get_string(struct value_object *self)
{
  unsigned length = 0;
  const char *text = LLVMIsAMDString(self->value) ? LLVMGetMDString(self->value, &length) : NULL;
  return text ? core_make_str_of_size(text, length) : Py_NewRef(Py_None);
}

/* ---- Data other than operands; LLVM-C is only called for opcodes that have the data ---- */

PyObject *ir_get_ordering(struct value_object *self)
{
  int ordering = -1;
  switch (LLVMGetInstructionOpcode(self->value)) {
  case LLVMLoad:
  case LLVMStore:
  case LLVMFence:
  case LLVMAtomicRMW: ordering = (int)LLVMGetOrdering(self->value); break;
  case LLVMAtomicCmpXchg: ordering = (int)LLVMGetCmpXchgSuccessOrdering(self->value); break;
  default: break;
  }
  const char *word = ir_keyword(&ir_orderings, ordering);
  return word ? core_make_str(word) : Py_NewRef(Py_None);
}

PyObject *ir_get_align(struct value_object *self)
{
  if (self->kind == IR_INSTRUCTION)
    switch (LLVMGetInstructionOpcode(self->value)) {
    case LLVMAlloca:
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: break;
    default: Py_RETURN_NONE;
    }
  unsigned align = LLVMGetAlignment(self->value);
  return align ? PyLong_FromUnsignedLong(align) : Py_NewRef(Py_None);
}

static PyObject *shuffle_mask_item(const void *instruction, size_t index)
{
  int element = LLVMGetMaskValue(((const struct value_object *)instruction)->value, (unsigned)index);
  return element == LLVMGetUndefMaskElem() ? Py_NewRef(Py_None) : PyLong_FromLong(element);
}

PyObject *ir_get_indices(struct value_object *self)
{
  switch (LLVMGetInstructionOpcode(self->value)) {
  case LLVMExtractValue:
  case LLVMInsertValue:
    return core_make_tuple(LLVMGetNumIndices(self->value), core_make_int_item, LLVMGetIndices(self->value));
  case LLVMShuffleVector: return core_make_tuple(LLVMGetNumMaskElements(self->value), shuffle_mask_item, self);
  default: Py_RETURN_NONE;
  }
}

/* ---- Calls ---- */

PyObject *ir_get_intrinsic(struct value_object *self)
{
  LLVMValueRef callee = ir_is_call(self->value) ? LLVMGetCalledValue(self->value) : NULL;
  LLVMValueRef function = callee ? LLVMIsAFunction(callee) : NULL;
  unsigned id = function ? LLVMGetIntrinsicID(function) : 0;
  size_t length = 0;
  const char *name = id ? LLVMIntrinsicGetName(id, &length) : NULL;
  if (!id && function) { /* one of another version of LLVM */
    name = LLVMGetValueName2(function, &length);
    name = length > 10 && !memcmp(name, "llvm.coro.", 10) ? name : NULL;
  }
  return name ? core_make_str_of_size(name, length) : Py_NewRef(Py_None);
}

PyObject *ir_get_calling_convention(struct value_object *self)
{
  bool function = self->kind == IR_FUNCTION;
  if (!function && !ir_is_call(self->value))
    return Py_NewRef(Py_None);
  unsigned number = function ? LLVMGetFunctionCallConv(self->value) : LLVMGetInstructionCallConv(self->value);
  const char *word = ir_keyword(&ir_conventions, (int)number);
  return word ? core_make_str(word) : PyUnicode_FromFormat("cc%u", number);
}

/* (tag, values) of an operand bundle. */
static PyObject *make_bundle_pair(const void *call, size_t index)
{
  const struct value_object *self = call;
  LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(self->value, (unsigned)index);
  size_t length;
  const char *tag = LLVMGetOperandBundleTag(bundle, &length);
  unsigned count = LLVMGetNumOperandBundleArgs(bundle);
  PyObject *name = core_make_str_of_size(tag, length), *values = PyTuple_New((Py_ssize_t)count);
  for (unsigned i = 0; values && i < count; i++)
    core_tuple_set(&values, (Py_ssize_t)i, core_ir_value(self->module, LLVMGetOperandBundleArgAtIndex(bundle, i)));
  PyObject *pair = name && values ? PyTuple_Pack(2, name, values) : NULL;
  Py_XDECREF(name);
  Py_XDECREF(values);
  LLVMDisposeOperandBundle(bundle);
  return pair;
}

PyObject *ir_get_bundles(struct value_object *self)
{
  unsigned count = ir_is_call(self->value) ? LLVMGetNumOperandBundles(self->value) : 0;
  return core_make_tuple(count, make_bundle_pair, self);
}

/* ---- Lists of values ---- */

/* Whether LLVM keeps a use list: constant data has none. */
static bool has_use_list(LLVMValueRef value)
{
  switch (LLVMGetValueKind(value)) {
  case LLVMUndefValueValueKind:
  case LLVMPoisonValueValueKind:
  case LLVMConstantAggregateZeroValueKind:
  case LLVMConstantDataArrayValueKind:
  case LLVMConstantDataVectorValueKind:
  case LLVMConstantIntValueKind:
  case LLVMConstantFPValueKind:
  case LLVMConstantPointerNullValueKind:
  case LLVMConstantTargetNoneValueKind:
  case LLVMConstantTokenNoneValueKind: return false;
  default: return true;
  }
}

/* Whether the user is a terminator in a block, and so branches to the block that it uses. */
static bool is_inserted_terminator(LLVMValueRef user)
{
  return LLVMIsATerminatorInst(user) && LLVMGetInstructionParent(user);
}

PyObject *ir_get_predecessors(struct value_object *self)
{
  PyObject *list = PyList_New(0);
  for (LLVMUseRef use = LLVMGetFirstUse(self->value); list && use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (is_inserted_terminator(user))
      core_list_append(&list, core_ir_block(self->module, LLVMGetInstructionParent(user)));
  }
  return list;
}

/* Whether a user belongs to the module. Constants of a context may have users in other modules. */
static bool is_user_in_module(LLVMValueRef user, LLVMModuleRef module)
{
  if (LLVMIsAInstruction(user)) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(user);
    LLVMValueRef function = block ? LLVMGetBasicBlockParent(block) : NULL;
    return function && LLVMGetGlobalParent(function) == module;
  }
  return !LLVMIsAGlobalValue(user) || LLVMGetGlobalParent(user) == module;
}

PyObject *ir_get_users(struct value_object *self)
{
  LLVMModuleRef module = coro_module_llvm(((struct module_object *)self->module)->module);
  PyObject *list = PyList_New(0);
  LLVMUseRef first = has_use_list(self->value) ? LLVMGetFirstUse(self->value) : NULL;
  for (LLVMUseRef use = first; list && use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!is_user_in_module(user, module))
      continue;
    core_list_append(&list, core_ir_value(self->module, user));
  }
  return list;
}

PyObject *ir_get_blocks(struct value_object *self)
{
  PyObject *tuple = PyTuple_New((Py_ssize_t)LLVMCountBasicBlocks(self->value));
  LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(self->value);
  for (Py_ssize_t i = 0; tuple && block; block = LLVMGetNextBasicBlock(block))
    core_tuple_set(&tuple, i++, core_ir_block(self->module, block));
  return tuple;
}

PyObject *ir_get_instructions(struct value_object *self)
{
  Py_ssize_t count = 0, at = 0;
  LLVMValueRef first = LLVMGetFirstInstruction(LLVMValueAsBasicBlock(self->value));
  for (LLVMValueRef i = first; i; i = LLVMGetNextInstruction(i))
    count++;
  PyObject *tuple = PyTuple_New(count);
  for (LLVMValueRef i = first; tuple && i; i = LLVMGetNextInstruction(i))
    core_tuple_set(&tuple, at++, core_ir_value(self->module, i));
  return tuple;
}

static PyObject *text_with_length(const char *(*get)(LLVMValueRef, size_t *), LLVMValueRef value)
{
  size_t length = 0;
  const char *text = get(value, &length);
  return core_make_str_of_size(text ? text : "", length);
}

static PyObject *text_and_dispose(char *text)
{
  PyObject *result = core_make_str(text);
  LLVMDisposeMessage(text);
  return result;
}

/* The word of a number; None if it has none. */
static PyObject *keyword_of_number(const struct ir_keywords *of, unsigned number)
{
  const char *text = ir_keyword(of, (int)number);
  return text ? core_make_str(text) : Py_NewRef(Py_None);
}

static PyObject *opcode_text(unsigned opcode)
{
  const char *text = ir_keyword(&ir_opcodes, (int)opcode);
  return text ? core_make_str(text)
              : PyErr_Format(PyExc_SystemError, "LLVM has an opcode %u that pycoro does not know", opcode);
}

static PyObject *constant_kind(LLVMValueKind kind)
{
  const char *text = ir_keyword(&ir_constant_kinds, (int)kind);
  return core_make_str(text ? text : "other");
}

static LLVMValueRef nth_successor(LLVMValueRef terminator, unsigned index)
{
  return LLVMBasicBlockAsValue(LLVMGetSuccessor(terminator, index));
}

/* The n-th case value of a switch, whose successor has number n + 1. */
static LLVMValueRef nth_case_value(LLVMValueRef instruction, unsigned index)
{
  return LLVMGetSwitchCaseValue(instruction, index + 1);
}

static LLVMValueRef nth_incoming_block(LLVMValueRef phi, unsigned index)
{
  return LLVMBasicBlockAsValue(LLVMGetIncomingBlock(phi, index));
}

bool ir_is_call(LLVMValueRef value)
{
  return LLVMIsACallInst(value) || LLVMIsAInvokeInst(value) || LLVMIsACallBrInst(value);
}

#define IR_QUERY(name, kinds, doc)
#define IR_GETTER(name, kinds, result, doc)                                                                            \
  PyObject *ir_get_##name(struct value_object *self)                                                                   \
  {                                                                                                                    \
    PyObject *module = self->module;                                                                                   \
    LLVMValueRef value = self->value;                                                                                  \
    (void)module;                                                                                                      \
    return result;                                                                                                     \
  }
#include "ir_queries.def"
