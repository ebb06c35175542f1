/* Queries of values that are one expression of LLVM-C: the rows IR_GETTER of ir_queries.def, and their helpers.
   Requires: the module locked. */
#include "ir.h"
#include "ir_keywords.h"

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
