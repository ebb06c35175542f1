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

static bool is_metadata_name_character(char letter)
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

/* The name of the attachment with this metadata kind in the printed text, where an attachment is `!name !7`; NULL:
   none. A name of digits only is a node. */
static char *find_printed_attachment_of_kind(LLVMContextRef context, char *text, unsigned kind_id, unsigned *length)
{
  while (*text) {
    if (*text == '"') {
      text = end_of_string_literal(text);
      continue;
    }
    if (*text++ != '!')
      continue;
    unsigned size = 0;
    while (is_metadata_name_character(text[size]))
      size++;
    bool attached = size && !isdigit((unsigned char)*text) && text[size] == ' ' && text[size + 1] == '!';
    *length = attached ? unescape_name(text, size) : 0;
    if (attached && LLVMGetMDKindIDInContext(context, text, *length) == kind_id)
      return text;
    text += size;
  }
  return NULL;
}

/* The name of a kind that the value has. Names of custom kinds are cached by number. */
static PyObject *metadata_kind_name(struct value_object *self, unsigned kind_id)
{
  if (kind_id < sizeof known / sizeof *known)
    return core_make_str(known[kind_id]);
  struct module_object *module = (struct module_object *)self->module;
  PyObject *key = PyLong_FromUnsignedLong(kind_id);
  if (!module->metadata_names)
    module->metadata_names = PyDict_New();
  PyObject *name = key && module->metadata_names ? PyDict_GetItemWithError(module->metadata_names, key) : NULL;
  Py_XINCREF(name);
  if (!name && !PyErr_Occurred()) {
    unsigned length = 0;
    char *text = LLVMPrintValueToString(self->value);
    const char *at = find_printed_attachment_of_kind(LLVMGetValueContext(self->value), text, kind_id, &length);
    name = at ? core_make_str_of_size(at, length) : PyUnicode_FromFormat("kind %u", kind_id);
    LLVMDisposeMessage(text);
    if (name && PyDict_SetItem(module->metadata_names, key, name) < 0)
      Py_CLEAR(name);
  }
  Py_XDECREF(key);
  return name;
}

/* Adds a kind once, even if it is attached several times. -1 with an exception set. */
static int append_kind_name_once(PyObject *list, struct value_object *self, unsigned kind_id)
{
  PyObject *name = metadata_kind_name(self, kind_id);
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
  if (list && instruction && LLVMInstructionGetDebugLoc(self->value) && append_kind_name_once(list, self, 0) < 0)
    Py_CLEAR(list);
  for (unsigned i = 0; list && i < count; i++)
    if (append_kind_name_once(list, self, LLVMValueMetadataEntriesGetKind(entries, i)) < 0)
      Py_CLEAR(list);
  if (entries)
    LLVMDisposeValueMetadataEntries(entries);
  PyObject *tuple = list ? PyList_AsTuple(list) : NULL;
  Py_XDECREF(list);
  return tuple;
}
