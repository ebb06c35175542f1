/* Sets attributes of functions, parameters, results and calls from their textual form. LLVM-C does not check that an
   attribute fits its position. LLVM's parser does, so the text is first parsed in a scratch module.
   Requires: ir_building.h.
   Guarantees: UsageError for text that is not an attribute. */
#include <stdio.h>
#include <string.h>

#include "ir_build.h"
#include "llvm-c/IRReader.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ (),.:\"=<>%*[]{}+-/\\|~";

/* A declaration with a placeholder at the position of the attributes, by attribute index. */
static const char *declaration_pattern(int index)
{
  return index < 0 ? "declare void @f() %s\n" : index ? "declare void @f(ptr %s)\n" : "declare %s ptr @f()\n";
}

static LLVMModuleRef parse_attribute_declaration(struct build_site *site, const char *text, int index)
{
  char buffer[4096], *message = NULL;
  LLVMModuleRef module = NULL;
  int length = snprintf(buffer, sizeof buffer, declaration_pattern(index), text);
  if (text[strspn(text, letters)] || length >= (int)sizeof buffer)
    return NULL;
  LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(buffer, (size_t)length, "");
  if (LLVMParseIRInContext2(site->context, memory, &module, &message))
    module = NULL;
  LLVMDisposeMemoryBuffer(memory);
  LLVMDisposeMessage(message);
  return module;
}

struct target { /* what receives the attributes */
  LLVMValueRef value;
  bool call;
  unsigned index; /* LLVM's index: -1 for a function, 0 for its result, 1 for its first parameter */
};

static void set_attribute(const struct target *target, LLVMAttributeRef attribute)
{
  if (target->call)
    LLVMAddCallSiteAttribute(target->value, target->index, attribute);
  else
    LLVMAddAttributeAtIndex(target->value, target->index, attribute);
}

/* Whether the type in a type attribute exists in the module. The parser accepts any struct name as an opaque type. */
static bool has_no_opaque_struct_type(LLVMAttributeRef attribute)
{
  if (!LLVMIsTypeAttribute(attribute))
    return true;
  LLVMTypeRef type = LLVMGetTypeAttributeValue(attribute);
  return !type || LLVMGetTypeKind(type) != LLVMStructTypeKind || !LLVMIsOpaqueStruct(type);
}

/* Returns the number of attributes set, or -1 if one cannot be created. */
static int copy_attributes_from(LLVMModuleRef from, const struct target *target)
{
  LLVMAttributeRef found[64];
  LLVMValueRef function = LLVMGetFirstFunction(from);
  if (!function || LLVMGetNextFunction(function) || LLVMGetFirstGlobal(from))
    return -1;
  unsigned count =
      LLVMGetAttributeCountAtIndex(function, target->index > 1 && target->index != UINT32_MAX ? 1 : target->index);
  if (count > sizeof found / sizeof *found)
    return -1;
  LLVMGetAttributesAtIndex(function, target->index > 1 && target->index != UINT32_MAX ? 1 : target->index, found);
  for (unsigned i = 0; i < count; i++)
    if (!has_no_opaque_struct_type(found[i]))
      return -1;
  for (unsigned i = 0; i < count; i++)
    set_attribute(target, found[i]);
  return (int)count;
}

static bool find_attribute_target(struct build_site *site, LLVMValueRef value, int index, struct target *target)
{
  bool block = LLVMValueIsBasicBlock(value);
  bool call = !block && (LLVMIsACallInst(value) || LLVMIsAInvokeInst(value));
  if (!call && (block || !LLVMIsAFunction(value)))
    return site_raise_usage_error(site, "only functions and calls have attributes");
  unsigned count = call ? LLVMGetNumArgOperands(value) : LLVMCountParams(value);
  if (index < -1 || index > (int)count)
    return site_raise_usage_error(site, "there are %u parameters; parameter %d does not exist", count, index - 1);
  *target = (struct target){value, call, (unsigned)index};
  return true;
}

static bool add_parsed_attribute(struct build_site *site, const struct target *target, int index, const char *text)
{
  LLVMModuleRef module = parse_attribute_declaration(site, text, index);
  int count = module ? copy_attributes_from(module, target) : -1;
  if (module)
    LLVMDisposeModule(module);
  return count > 0 ||
         site_raise_usage_error(
             site, "LLVM cannot parse the attribute \"%.120s\"; pass a named type as a Type: (\"byval\", type)", text);
}

static bool add_type_attribute(struct build_site *site, const struct target *target, const char *name, PyObject *wanted)
{
  static const char *const names[] = {"byval", "sret", "byref", "inalloca", "preallocated", "elementtype"};
  LLVMTypeRef type = site_type(site, wanted, "the type of an attribute");
  if (!type || !site_check_type_is_sized(site, type, "what an attribute is of"))
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i], name)) {
      set_attribute(target,
                    LLVMCreateTypeAttribute(site->context, LLVMGetEnumAttributeKindForName(name, strlen(name)), type));
      return true;
    }
  return site_raise_usage_error(site, "%.40s is not an attribute with a type", name);
}

bool ir_change_add_attribute(struct build_site *site, PyObject *args)
{
  PyObject *type;
  int index;
  struct target target;
  if (!site_parse(site, args, "iNO", &index, &type) || !find_attribute_target(site, site->target, index, &target))
    return false;
  return type == Py_None ? add_parsed_attribute(site, &target, index, site->name)
                         : add_type_attribute(site, &target, site->name, type);
}

bool ir_change_remove_attribute(struct build_site *site, PyObject *args)
{
  int index;
  struct target target;
  if (!site_parse(site, args, "iN", &index) || !find_attribute_target(site, site->target, index, &target))
    return false;
  unsigned length = (unsigned)strlen(site->name), kind = LLVMGetEnumAttributeKindForName(site->name, length);
  if (target.call && kind)
    LLVMRemoveCallSiteEnumAttribute(target.value, target.index, kind);
  else if (target.call)
    LLVMRemoveCallSiteStringAttribute(target.value, target.index, site->name, length);
  else if (kind)
    LLVMRemoveEnumAttributeAtIndex(target.value, target.index, kind);
  else
    LLVMRemoveStringAttributeAtIndex(target.value, target.index, site->name, length);
  return true;
}
