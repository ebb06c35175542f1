/* Emulated thread-local storage: LLVM-C does not expose ORC's TLS runtime. As compilers do on systems without TLS, each
   variable becomes a control structure, and __emutls_get_address of the compiler runtime returns this thread's copy.
   Requires: an engine, and its copy of the module. Guarantees: that module copy uses no thread-local variables; the
   runtime function is bound in the engine. */
#include <stdio.h>

#include "ir/edit.h"
#include "jit/jit_internal.h"
#include "llvm-c/Support.h"
#include "llvm-c/Target.h"

static const char runtime_name[] = "__emutls_get_address";

static bool bind_emutls_runtime_if_found(struct jit *jit)
{
  void *address;
  if (jit_find_symbol(jit, runtime_name, &address))
    return true;
  address = LLVMSearchForAddressOfSymbol(runtime_name);
  /* Loaded as a dependency of LLVM, but not visible globally. */
  if (!address && !LLVMLoadLibraryPermanently("libgcc_s.so.1"))
    address = LLVMSearchForAddressOfSymbol(runtime_name);
  return address && jit_define_symbol(jit, runtime_name, address, NULL) == CORO_OK;
}

static bool is_call_of_threadlocal_address(LLVMValueRef user)
{
  static const char name[] = "llvm.threadlocal.address";
  LLVMValueRef callee = LLVMIsACallInst(user) ? LLVMGetCalledValue(user) : NULL;
  return callee && LLVMIsAFunction(callee) &&
         LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(name, sizeof name - 1);
}

bool jit_can_emulate_tls(struct jit *jit, LLVMValueRef variable)
{
  for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use))
    if (!is_call_of_threadlocal_address(LLVMGetUser(use)))
      return false;
  return !LLVMIsDeclaration(variable) && bind_emutls_runtime_if_found(jit);
}

/* The initial value of each copy; null: zeros. */
static LLVMValueRef make_emutls_template_or_null_pointer(LLVMModuleRef module, LLVMValueRef variable)
{
  LLVMValueRef initial = LLVMGetInitializer(variable);
  if (LLVMIsNull(initial))
    return LLVMConstNull(LLVMPointerTypeInContext(LLVMGetModuleContext(module), 0));
  LLVMValueRef start = LLVMAddGlobal(module, LLVMTypeOf(initial), "");
  LLVMSetInitializer(start, initial);
  LLVMSetLinkage(start, LLVMPrivateLinkage);
  LLVMSetGlobalConstant(start, true);
  LLVMSetAlignment(start, LLVMGetAlignment(variable));
  return start;
}

/* {size, alignment, runtime word, initial value}, named as compilers do. */
static LLVMValueRef make_emutls_control_variable(LLVMModuleRef module, LLVMValueRef variable)
{
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
  LLVMTypeRef type = LLVMGlobalGetValueType(variable), word = LLVMIntPtrTypeInContext(context, layout);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
  unsigned align = LLVMGetAlignment(variable);
  char name[300];
  snprintf(name, sizeof name, "__emutls_v.%.250s", edit_value_name(variable));
  LLVMValueRef fields[4] = {LLVMConstInt(word, LLVMABISizeOfType(layout, type), false),
                            LLVMConstInt(word, align ? align : LLVMPreferredAlignmentOfGlobal(layout, variable), false),
                            LLVMConstNull(pointer), make_emutls_template_or_null_pointer(module, variable)};
  LLVMValueRef initial = LLVMConstStructInContext(context, fields, 4, false);
  LLVMValueRef control = LLVMAddGlobal(module, LLVMTypeOf(initial), name);
  LLVMSetInitializer(control, initial);
  LLVMSetLinkage(control, LLVMGetLinkage(variable));
  LLVMSetVisibility(control, LLVMGetVisibility(variable));
  return control;
}

static LLVMValueRef declare_emutls_runtime_function(LLVMModuleRef module)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(LLVMGetModuleContext(module), 0);
  LLVMValueRef function = LLVMGetNamedFunction(module, runtime_name);
  return function ? function : LLVMAddFunction(module, runtime_name, LLVMFunctionType(pointer, &pointer, 1, false));
}

static void emulate_thread_local_variable(LLVMModuleRef module, LLVMValueRef variable)
{
  LLVMValueRef control = make_emutls_control_variable(module, variable),
               function = declare_emutls_runtime_function(module);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMUseRef use; (use = LLVMGetFirstUse(variable));) {
    LLVMValueRef call = LLVMGetUser(use);
    LLVMPositionBuilderBefore(builder, call);
    LLVMReplaceAllUsesWith(call, LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, &control, 1, ""));
    LLVMInstructionEraseFromParent(call);
  }
  LLVMDisposeBuilder(builder);
  LLVMDeleteGlobal(variable);
}

void jit_emulate_thread_locals(LLVMModuleRef copy)
{
  for (LLVMValueRef g = LLVMGetFirstGlobal(copy), next; g; g = next) {
    next = LLVMGetNextGlobal(g);
    if (LLVMIsThreadLocal(g) && LLVMGetFirstUse(g))
      emulate_thread_local_variable(copy, g);
  }
}
