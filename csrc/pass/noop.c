/* The coroutine behind llvm.coro.noop: resuming or destroying it does nothing.
   Needs: ir. Leaves: one constant frame in the module, made at the first call and found again by later ones. */
#include "pass/noop.h"

#include <string.h>

#include "base/fault.h"
#include "ir/edit.h"

static const char frame_name[] = "NoopCoro.Frame.Const", function_name[] = "__NoopCoro_ResumeDestroy",
                  type_name[] = "NoopCoro.Frame";

/* The module flags that say how every function of the module is to be compiled. A function that LLVM makes itself gets
   the matching attributes; so must this one, or its returns would not agree with its callers'. */
static uint64_t module_flag(struct coro_run *run, const char *name)
{
  LLVMMetadataRef flag = LLVMGetModuleFlag(run->module, name, strlen(name));
  LLVMValueRef value = flag ? LLVMMetadataAsValue(run->context, flag) : NULL;
  uint64_t number = 0;
  if (value && LLVMIsAConstantInt(value))
    edit_constant(value, &number);
  else if (value && LLVMGetNumOperands(value) == 1 && LLVMIsAConstantInt(LLVMGetOperand(value, 0)))
    edit_constant(LLVMGetOperand(value, 0), &number);
  return number;
}

static void add_text(struct coro_run *run, LLVMValueRef function, const char *key, const char *value)
{
  LLVMAttributeRef attribute =
      LLVMCreateStringAttribute(run->context, key, (unsigned)strlen(key), value, (unsigned)strlen(value));
  LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
}

static void add_default_attributes(struct coro_run *run, LLVMValueRef function)
{
  static const struct {
    const char *flag, *key, *value;
  } texts[] = {
      {"branch-target-enforcement", "branch-target-enforcement", ""},
      {"branch-protection-pauth-lr", "branch-protection-pauth-lr", ""},
      {"guarded-control-stack", "guarded-control-stack", ""},
  };
  static const char *const frame_pointers[] = {NULL, "non-leaf", "all", "reserved", "non-leaf-no-reserve"};
  uint64_t uwtable = module_flag(run, "uwtable");
  if (uwtable) {
    unsigned kind = LLVMGetEnumAttributeKindForName("uwtable", strlen("uwtable"));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(run->context, kind, uwtable));
  }
  uint64_t frame_pointer = module_flag(run, "frame-pointer");
  if (frame_pointer && frame_pointer < sizeof frame_pointers / sizeof *frame_pointers)
    add_text(run, function, "frame-pointer", frame_pointers[frame_pointer]);
  if (module_flag(run, "function_return_thunk_extern"))
    edit_add_attribute(function, (unsigned)LLVMAttributeFunctionIndex, "fn_ret_thunk_extern");
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (module_flag(run, texts[i].flag))
      add_text(run, function, texts[i].key, texts[i].value);
  if (module_flag(run, "sign-return-address")) {
    add_text(run, function, "sign-return-address", module_flag(run, "sign-return-address-all") ? "all" : "non-leaf");
    add_text(run, function, "sign-return-address-key",
             module_flag(run, "sign-return-address-with-bkey") ? "b_key" : "a_key");
  }
}

static LLVMValueRef noop_function(struct coro_run *run)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(run->context, 0);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(run->context), &pointer, 1, false);
  LLVMValueRef function = LLVMAddFunction(run->module, function_name, type);
  LLVMSetLinkage(function, LLVMInternalLinkage);
  LLVMSetFunctionCallConv(function, LLVMFastCallConv);
  add_default_attributes(run, function);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(run->context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(run->context, function, "entry"));
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  return function;
}

/* Types belong to the context, not to the module: a type of that name may be there from another module already. */
static LLVMTypeRef frame_type(struct coro_run *run, LLVMTypeRef pointer)
{
  LLVMTypeRef fields[2] = {pointer, pointer};
  LLVMTypeRef type = LLVMGetTypeByName2(run->context, type_name);
  if (!type) {
    type = LLVMStructCreateNamed(run->context, type_name);
    LLVMStructSetBody(type, fields, 2, false);
  } else if (LLVMIsOpaqueStruct(type) || LLVMIsPackedStruct(type) || LLVMCountStructElementTypes(type) != 2 ||
             LLVMStructGetTypeAtIndex(type, 0) != pointer || LLVMStructGetTypeAtIndex(type, 1) != pointer) {
    type = LLVMStructTypeInContext(run->context, fields, 2, false);
  }
  return type;
}

LLVMValueRef noop_frame(struct coro_run *run)
{
  LLVMValueRef frame = LLVMGetNamedGlobal(run->module, frame_name);
  if (frame && LLVMIsGlobalConstant(frame) && LLVMGetLinkage(frame) == LLVMPrivateLinkage)
    return frame;
  LLVMValueRef function = noop_function(run), fields[2] = {function, function};
  LLVMTypeRef type = frame_type(run, LLVMTypeOf(function)); /* code may be an address space of its own */
  if (FAULTY(run->arena, noop_is_done))
    fields[0] = LLVMConstNull(LLVMTypeOf(function));
  frame = LLVMAddGlobal(run->module, type, frame_name);
  LLVMSetGlobalConstant(frame, true);
  LLVMSetLinkage(frame, LLVMPrivateLinkage);
  LLVMSetInitializer(frame, LLVMConstNamedStruct(type, fields, 2)); /* takes literal struct types as well */
  return frame;
}
