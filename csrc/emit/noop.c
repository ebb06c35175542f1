/* Creates the noop coroutine that llvm.coro.noop returns. */
#include "emit/noop.h"

#include <string.h>

#include "ir/attribute_kind.h"
#include "ir/edit.h"
#include "transform/lowering_variable.h"

static const char frame_name[] = "NoopCoro.Frame.Const", function_name[] = "__NoopCoro_ResumeDestroy",
                  type_name[] = "NoopCoro.Frame";

static void add_text_attribute(LLVMModuleRef module, LLVMValueRef function, const char *key, const char *value)
{
  LLVMAttributeRef attribute = LLVMCreateStringAttribute(LLVMGetModuleContext(module), key, (unsigned)strlen(key),
                                                         value, (unsigned)strlen(value));
  LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
}

/* Adds the attributes that LLVM derives from module flags for functions it creates itself. Otherwise features such
   as return signing would not match the callers. */
static void add_attributes_of_module_flags(LLVMModuleRef module, LLVMValueRef function)
{
  static const struct {
    const char *flag, *key, *value;
  } texts[] = {
      {"branch-target-enforcement", "branch-target-enforcement", ""},
      {"branch-protection-pauth-lr", "branch-protection-pauth-lr", ""},
      {"guarded-control-stack", "guarded-control-stack", ""},
  };
  static const char *const frame_pointers[] = {NULL, "non-leaf", "all", "reserved", "non-leaf-no-reserve"};
  uint64_t uwtable = edit_module_flag_value_or_0(module, "uwtable");
  if (uwtable) {
    unsigned kind = attribute_kind("uwtable");
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, uwtable));
  }
  uint64_t frame_pointer = edit_module_flag_value_or_0(module, "frame-pointer");
  if (frame_pointer && frame_pointer < sizeof frame_pointers / sizeof *frame_pointers)
    add_text_attribute(module, function, "frame-pointer", frame_pointers[frame_pointer]);
  if (edit_module_flag_value_or_0(module, "function_return_thunk_extern"))
    edit_add_function_attribute(function, "fn_ret_thunk_extern");
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (edit_module_flag_value_or_0(module, texts[i].flag))
      add_text_attribute(module, function, texts[i].key, texts[i].value);
  if (edit_module_flag_value_or_0(module, "sign-return-address")) {
    add_text_attribute(module, function, "sign-return-address",
                       edit_module_flag_value_or_0(module, "sign-return-address-all") ? "all" : "non-leaf");
    add_text_attribute(module, function, "sign-return-address-key",
                       edit_module_flag_value_or_0(module, "sign-return-address-with-bkey") ? "b_key" : "a_key");
  }
}

static LLVMValueRef make_noop_function(LLVMModuleRef module)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(LLVMGetModuleContext(module), 0);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetModuleContext(module)), &pointer, 1, false);
  LLVMValueRef function = LLVMAddFunction(module, function_name, type);
  LLVMSetLinkage(function, LLVMInternalLinkage);
  LLVMSetFunctionCallConv(function, LLVMFastCallConv);
  add_attributes_of_module_flags(module, function);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(LLVMGetModuleContext(module), function, "entry"));
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  return function;
}

/* Types belong to the context, where another module may already have one with this name. */
static LLVMTypeRef noop_frame_type(LLVMModuleRef module, LLVMTypeRef pointer)
{
  LLVMTypeRef fields[2] = {pointer, pointer};
  LLVMTypeRef type = LLVMGetTypeByName2(LLVMGetModuleContext(module), type_name);
  if (!type) {
    type = LLVMStructCreateNamed(LLVMGetModuleContext(module), type_name);
    LLVMStructSetBody(type, fields, 2, false);
  } else if (LLVMIsOpaqueStruct(type) || LLVMIsPackedStruct(type) || LLVMCountStructElementTypes(type) != 2 ||
             LLVMStructGetTypeAtIndex(type, 0) != pointer || LLVMStructGetTypeAtIndex(type, 1) != pointer) {
    type = LLVMStructTypeInContext(LLVMGetModuleContext(module), fields, 2, false);
  }
  return type;
}

/* Whether the function returns at once, whatever its name. */
static bool is_fastcc_function_that_only_returns(LLVMValueRef function)
{
  LLVMBasicBlockRef entry = LLVMIsAFunction(function) ? LLVMGetFirstBasicBlock(function) : NULL;
  return entry && LLVMGetLinkage(function) == LLVMInternalLinkage && LLVMCountParams(function) == 1 &&
         LLVMGetFunctionCallConv(function) == LLVMFastCallConv &&
         LLVMGetInstructionOpcode(LLVMGetFirstInstruction(entry)) == LLVMRet;
}

static bool is_noop_frame(LLVMValueRef variable, const void *user)
{
  (void)user;
  LLVMValueRef frame_fields = LLVMGetInitializer(variable);
  return frame_fields && LLVMIsGlobalConstant(variable) && LLVMGetLinkage(variable) == LLVMPrivateLinkage &&
         LLVMIsAConstantStruct(frame_fields) && LLVMGetNumOperands(frame_fields) == 2 &&
         is_fastcc_function_that_only_returns(LLVMGetAggregateElement(frame_fields, 0)) &&
         is_fastcc_function_that_only_returns(LLVMGetAggregateElement(frame_fields, 1));
}

LLVMValueRef noop_find_resume_function_or_null(LLVMModuleRef module, struct coro_arena *arena)
{
  const char *free_name;
  LLVMValueRef frame = lowering_variable_find(module, arena, frame_name, is_noop_frame, NULL, &free_name);
  return frame ? LLVMGetAggregateElement(LLVMGetInitializer(frame), 0) : NULL;
}

LLVMValueRef noop_frame_find_or_create(LLVMModuleRef module, struct coro_arena *arena)
{
  const char *free_name;
  LLVMValueRef frame = lowering_variable_find(module, arena, frame_name, is_noop_frame, NULL, &free_name);
  if (frame || !free_name)
    return frame;
  LLVMValueRef function = make_noop_function(module), fields[2] = {function, function};
  LLVMTypeRef type = noop_frame_type(module, LLVMTypeOf(function)); /* functions may have an address space of their own
                                                                       */
  frame = LLVMAddGlobal(module, type, free_name);
  LLVMSetGlobalConstant(frame, true);
  LLVMSetLinkage(frame, LLVMPrivateLinkage);
  LLVMSetInitializer(frame, LLVMConstNamedStruct(type, fields, 2)); /* accepts literal struct types as well */
  return frame;
}
