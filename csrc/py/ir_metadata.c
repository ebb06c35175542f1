/* Lists the metadata kinds attached to a value. LLVM-C does not expose the names of custom kinds; each is parsed once
   from printed IR.
   Requires: the module locked. */
#include <ctype.h>
#include <string.h>

#include "ir.h"
#include "llvm-c/DebugInfo.h"

static const char *const known[] = {
#define LLVM_METADATA(name) name,
#include "llvm_metadata.def"
};

static bool is_metadata_kind_of_name(char letter)
{
  return isalnum((unsigned char)letter) || (letter && strchr("-$._\\", letter));
}

/* The position after the string literal that starts at `at`. */
static char *end_of_string_literal(char *at)
{
  char *end = strchr(at + 1, '"');
  return end ? end + 1 : at + strlen(at);
}

static unsigned hex_digit(char letter)
{
  return (unsigned)(isdigit((unsigned char)letter) ? letter - '0' : (letter | 32) - 'a' + 10);
}

/* Decodes a printed name in place: `\` and two hexadecimal digits are one byte. */
static unsigned unescape_name(char *name, unsigned size)
{
  unsigned to = 0;
  for (unsigned at = 0; at < size; at++) {
    bool escaped = name[at] == '\\' && at + 2 < size;
    name[to++] = escaped ? (char)(hex_digit(name[at + 1]) << 4 | hex_digit(name[at + 2])) : name[at];
    at += escaped ? 2 : 0;
  }
  return to;
}

/* The name before `!number` in an attachment, printed as `!name !7`; NULL: none. A name of digits only is a node. */
static char *name_of_printed_attachment(LLVMContextRef context, char *at, unsigned number, unsigned *length)
{
  while (*at) {
    if (*at == '"') {
      at = end_of_string_literal(at);
      continue;
    }
    if (*at++ != '!')
      continue;
    unsigned size = 0;
    while (is_metadata_kind_of_name(at[size]))
      size++;
    bool attached = size && !isdigit((unsigned char)*at) && at[size] == ' ' && at[size + 1] == '!';
    *length = attached ? unescape_name(at, size) : 0;
    if (attached && LLVMGetMDKindIDInContext(context, at, *length) == number)
      return at;
    at += size;
  }
  return NULL;
}

/* The name of a kind that the value has. Names of custom kinds are cached by number. */
static PyObject *metadata_kind_name(struct value_object *self, unsigned number)
{
  if (number < sizeof known / sizeof *known)
    return core_text(known[number]);
  struct module_object *module = (struct module_object *)self->module;
  PyObject *key = PyLong_FromUnsignedLong(number);
  if (!module->metadata_names)
    module->metadata_names = PyDict_New();
  PyObject *name = key && module->metadata_names ? PyDict_GetItemWithError(module->metadata_names, key) : NULL;
  Py_XINCREF(name);
  if (!name && !PyErr_Occurred()) {
    unsigned length = 0;
    char *text = LLVMPrintValueToString(self->value);
    const char *at = name_of_printed_attachment(LLVMGetValueContext(self->value), text, number, &length);
    name = at ? core_text_sized(at, length) : PyUnicode_FromFormat("kind %u", number);
    LLVMDisposeMessage(text);
    if (name && PyDict_SetItem(module->metadata_names, key, name) < 0)
      Py_CLEAR(name);
  }
  Py_XDECREF(key);
  return name;
}

/* Adds a kind once, even if it is attached several times. -1 with an exception set. */
static int append_kind_name(PyObject *list, struct value_object *self, unsigned number)
{
  PyObject *name = metadata_kind_name(self, number);
  int there = name ? PySequence_Contains(list, name) : -1;
  int failed = there ? there : PyList_Append(list, name);
  Py_XDECREF(name);
  return failed < 0 ? -1 : 0;
}

PyObject *ir_get_metadata(struct value_object *self)
{
  bool instruction = self->kind == IR_INSTRUCTION;
  size_t count = 0;
  LLVMValueMetadataEntry *entries = NULL;
  if (!instruction)
    entries = LLVMGlobalCopyAllMetadata(self->value, &count);
  else if (LLVMHasMetadata(self->value))
    entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(self->value, &count);
  PyObject *list = PyList_New(0);
  if (list && instruction && LLVMInstructionGetDebugLoc(self->value) && append_kind_name(list, self, 0) < 0)
    Py_CLEAR(list);
  for (unsigned i = 0; list && i < count; i++)
    if (append_kind_name(list, self, LLVMValueMetadataEntriesGetKind(entries, i)) < 0)
      Py_CLEAR(list);
  if (entries)
    LLVMDisposeValueMetadataEntries(entries);
  PyObject *tuple = list ? PyList_AsTuple(list) : NULL;
  Py_XDECREF(list);
  return tuple;
}
