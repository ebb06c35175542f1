/* Reads source locations of values from debug information.
   Requires: the module locked.
   Guarantees: tuples (line, column, function, file, directory, inlinedAt). */
#include "ir.h"
#include "llvm-c/DebugInfo.h"

enum { SCOPE_OPERAND = 1, NAME_OPERAND = 2 }; /* operand indices: of a scope's parent, of a subprogram's name */

static bool is_local_debug_scope(LLVMMetadataRef node)
{
  switch (LLVMGetMetadataKind(node)) {
  case LLVMDISubprogramMetadataKind:
  case LLVMDILexicalBlockMetadataKind:
  case LLVMDILexicalBlockFileMetadataKind: return true;
  default: return false;
  }
}

/* An operand of a metadata node; NULL if absent. -1: out of memory. */
static int read_metadata_operand_or_null(LLVMContextRef context, LLVMMetadataRef node, unsigned index,
                                         LLVMValueRef *found)
{
  LLVMValueRef value = LLVMMetadataAsValue(context, node);
  unsigned count = LLVMGetMDNodeNumOperands(value);
  LLVMValueRef *all = PyMem_Calloc((size_t)count + 1, sizeof(LLVMValueRef));
  if (!all)
    return -1;
  LLVMGetMDNodeOperands(value, all);
  *found = index < count ? all[index] : NULL;
  PyMem_Free(all);
  return 0;
}

/* The name of the subprogram that contains a scope, or "". */
static PyObject *subprogram_name_of_scope(LLVMContextRef context, LLVMMetadataRef scope)
{
  LLVMValueRef found = NULL;
  while (scope && is_local_debug_scope(scope) && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind) {
    if (read_metadata_operand_or_null(context, scope, SCOPE_OPERAND, &found) < 0)
      return PyErr_NoMemory();
    scope = found ? LLVMValueAsMetadata(found) : NULL;
  }
  found = NULL;
  if (scope && is_local_debug_scope(scope) && read_metadata_operand_or_null(context, scope, NAME_OPERAND, &found) < 0)
    return PyErr_NoMemory();
  unsigned length = 0;
  const char *name = found ? LLVMGetMDString(found, &length) : NULL;
  return core_make_str_of_size(name ? name : "", length);
}

static PyObject *file_path_text(LLVMMetadataRef file, const char *(*get)(LLVMMetadataRef, unsigned *))
{
  unsigned length = 0;
  const char *text = file ? get(file, &length) : NULL;
  return core_make_str_of_size(text ? text : "", length);
}

/* Builds the tuple. Takes ownership of `inlined`. */
static PyObject *make_location_tuple(LLVMContextRef context, unsigned line, unsigned column, LLVMMetadataRef scope,
                                     PyObject *inlined)
{
  LLVMMetadataRef file = scope && is_local_debug_scope(scope) ? LLVMDIScopeGetFile(scope) : NULL;
  PyObject *function = subprogram_name_of_scope(context, scope);
  PyObject *name = file_path_text(file, LLVMDIFileGetFilename),
           *directory = file_path_text(file, LLVMDIFileGetDirectory);
  PyObject *result = function && name && directory && inlined
                         ? Py_BuildValue("(IIOOOO)", line, column, function, name, directory, inlined)
                         : NULL;
  Py_XDECREF(function);
  Py_XDECREF(name);
  Py_XDECREF(directory);
  Py_XDECREF(inlined);
  return result;
}

/* Builds the chain of inlined locations iteratively, outermost first, so that its length needs no stack. */
static PyObject *make_inlined_location_chain(LLVMContextRef context, LLVMMetadataRef innermost)
{
  PyObject *result = Py_NewRef(Py_None);
  size_t depth = 0;
  for (LLVMMetadataRef at = innermost; at; at = LLVMDILocationGetInlinedAt(at))
    depth++;
  LLVMMetadataRef *chain = PyMem_Calloc(depth + 1, sizeof(LLVMMetadataRef));
  if (!chain) {
    Py_DECREF(result);
    return PyErr_NoMemory();
  }
  for (LLVMMetadataRef at = innermost; at; at = LLVMDILocationGetInlinedAt(at))
    chain[--depth] = at;
  for (size_t i = 0; result && chain[i]; i++)
    result = make_location_tuple(context, LLVMDILocationGetLine(chain[i]), LLVMDILocationGetColumn(chain[i]),
                                 LLVMDILocationGetScope(chain[i]), result);
  PyMem_Free(chain);
  return result;
}

PyObject *ir_get_location(struct value_object *self)
{
  LLVMContextRef context = LLVMGetValueContext(self->value);
  if (self->kind == IR_INSTRUCTION)
    return make_inlined_location_chain(context, LLVMInstructionGetDebugLoc(self->value));
  LLVMMetadataRef subprogram = LLVMGetSubprogram(self->value);
  return subprogram
             ? make_location_tuple(context, LLVMDISubprogramGetLine(subprogram), 0, subprogram, Py_NewRef(Py_None))
             : Py_NewRef(Py_None);
}
