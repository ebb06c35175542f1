/* Creates functions, global variables and blocks, and sets their properties.
   Requires: ir_building.h. Checked here because LLVM-C does not: names are unused, function types are function types,
   initializers have the variable's type. */
#include <string.h>

#include "ir/edit.h"
#include "ir_building.h"
#include "ir_keywords.h"

static bool check_global_name_is_free_and_unreserved(struct build_site *site, const char *name)
{
  if (!strncmp(name, "llvm.", 5))
    return site_raise_usage_error(
        site, "names that start with llvm. are reserved: declare an intrinsic with module.intrinsic");
  return !*name || !edit_is_symbol_name_in_use(site->llvm, name) ||
         site_raise_usage_error(site, "the module already has a global @%.120s", name);
}

/* Raises for a word that is no linkage, and for `appending`, which LLVM reserves for its own arrays. */
static bool find_linkage(struct build_site *site, const char *word, LLVMLinkage *linkage)
{
  int number = ir_keyword_number(&ir_linkages, word);
  *linkage = (LLVMLinkage)number;
  return (number >= 0 && number != LLVMAppendingLinkage) ||
         site_raise_usage_error(site, "%.40s is not a linkage", word);
}

bool ir_change_add_function(struct build_site *site, PyObject *args)
{
  const char *word;
  LLVMTypeRef type;
  LLVMLinkage linkage;
  if (!site_parse(site, args, "NTs", &type, "the type of a function", &word))
    return false;
  if (LLVMGetTypeKind(type) != LLVMFunctionTypeKind)
    return site_raise_usage_error(site, "the type of a function must be a function type, such as i32 (ptr), not %s",
                                  site_text_of_type(site, type));
  if (!find_linkage(site, word, &linkage) || !check_global_name_is_free_and_unreserved(site, site->name))
    return false;
  site->built = LLVMAddFunction(site->llvm, site->name, type);
  LLVMSetLinkage(site->built, linkage);
  return true;
}

bool ir_change_add_variable(struct build_site *site, PyObject *args)
{
  PyObject *initial;
  const char *word;
  int constant;
  uint64_t align;
  LLVMTypeRef type;
  LLVMLinkage linkage;
  if (!site_parse(site, args, "NTOspA", &type, "the type of a variable", &initial, &word, &constant, &align) ||
      !check_global_name_is_free_and_unreserved(site, site->name) ||
      !site_check_type_is_sized(site, type, "a variable"))
    return false;
  if (LLVMGetTypeKind(type) == LLVMScalableVectorTypeKind)
    return site_raise_usage_error(site, "a global variable cannot have a scalable type");
  if (!find_linkage(site, word, &linkage))
    return false;
  LLVMValueRef value = initial == Py_None ? NULL : site_operand_of(site, initial, type, "the initializer");
  if (!value && initial != Py_None)
    return false;
  if (value && !LLVMIsConstant(value))
    return site_raise_usage_error(site, "the initializer must be a constant");
  site->built = LLVMAddGlobal(site->llvm, type, site->name);
  LLVMSetLinkage(site->built, linkage);
  LLVMSetGlobalConstant(site->built, constant);
  if (value)
    LLVMSetInitializer(site->built, value);
  if (align)
    LLVMSetAlignment(site->built, (unsigned)align);
  return true;
}

bool ir_change_add_block(struct build_site *site, PyObject *args)
{
  bool before = LLVMValueIsBasicBlock(site->target);
  if (!before && !LLVMIsAFunction(site->target))
    return site_raise_usage_error(site, "a block must be inserted at the end of a function, or before a block");
  if (LLVMGetIntrinsicID(site->function))
    return site_raise_usage_error(site, "an intrinsic cannot have a body");
  if (!site_parse(site, args, "N"))
    return false;
  LLVMBasicBlockRef block =
      before ? LLVMInsertBasicBlockInContext(site->context, LLVMValueAsBasicBlock(site->target), site->name)
             : LLVMAppendBasicBlockInContext(site->context, site->target, site->name);
  site->built = LLVMBasicBlockAsValue(block);
  return true;
}

bool ir_change_set_name(struct build_site *site, PyObject *args)
{
  LLVMValueRef value = site->target;
  bool block = LLVMValueIsBasicBlock(value), global = !block && LLVMIsAGlobalValue(value);
  if (!site_parse(site, args, "N"))
    return false;
  if (!block && !global && !LLVMIsAInstruction(value) && !LLVMIsAArgument(value))
    return site_raise_usage_error(site, "a constant cannot have a name");
  if (!block && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVoidTypeKind && *site->name)
    return site_raise_usage_error(site, "an instruction without a result cannot have a name");
  if (global && LLVMIsAFunction(value) && LLVMGetIntrinsicID(value))
    return site_raise_usage_error(site, "an intrinsic cannot be renamed");
  if (global && !*site->name)
    return site_raise_usage_error(site, "a global must have a name");
  if (global && !check_global_name_is_free_and_unreserved(site, site->name))
    return false;
  LLVMSetValueName2(value, site->name, strlen(site->name));
  return true;
}

bool ir_change_set_personality(struct build_site *site, PyObject *args)
{
  LLVMValueRef personality;
  if (LLVMValueIsBasicBlock(site->target) || !LLVMIsAFunction(site->target))
    return site_raise_usage_error(site, "only a function has a personality");
  if (!site_parse(site, args, "V", &personality, "a personality"))
    return false;
  if (!LLVMIsAFunction(personality))
    return site_raise_usage_error(site, "a personality must be a function");
  LLVMSetPersonalityFn(site->target, personality);
  return true;
}

bool ir_change_set_convention(struct build_site *site, PyObject *args)
{
  unsigned number;
  LLVMValueRef value = site->target;
  bool block = LLVMValueIsBasicBlock(value), function = !block && LLVMIsAFunction(value);
  bool call = !block && !function && (LLVMIsACallInst(value) || LLVMIsAInvokeInst(value));
  if (!site_parse(site, args, "I", &number))
    return false;
  if (number >= 1024 || (!function && !call))
    return site_raise_usage_error(site, "only functions and calls have a calling convention, a number below 1024");
  if (function)
    LLVMSetFunctionCallConv(value, number);
  else
    LLVMSetInstructionCallConv(value, number);
  return true;
}
