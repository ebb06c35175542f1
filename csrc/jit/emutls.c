/* Thread-local variables, which need a runtime of ORC's that is not part of LLVM-C. They are emulated, as compilers do
   where a system has none: what is left of the variable is a description of it, from which a function of the compiler's
   runtime library finds this thread's copy.
   Needs: an engine. Leaves: a copy of a module without thread-local variables; that function bound in the engine. */
#include <stdio.h>
#include <string.h>

#include "jit/inside.h"
#include "llvm-c/Support.h"
#include "llvm-c/Target.h"

static const char runtime_name[] = "__emutls_get_address";

static bool has_runtime(struct jit *jit)
{
  void *address;
  if (jit_find(jit, runtime_name, &address))
    return true;
  address = LLVMSearchForAddressOfSymbol(runtime_name);
  if (!address && !LLVMLoadLibraryPermanently("libgcc_s.so.1")) /* it is there, as LLVM needs it, but not in sight */
    address = LLVMSearchForAddressOfSymbol(runtime_name);
  return address && jit_define(jit, runtime_name, address, NULL) == CORO_OK;
}

static bool asks_for_address(LLVMValueRef user)
{
  static const char name[] = "llvm.threadlocal.address";
  LLVMValueRef callee = LLVMIsACallInst(user) ? LLVMGetCalledValue(user) : NULL;
  return callee && LLVMIsAFunction(callee) &&
         LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(name, sizeof name - 1);
}

bool jit_can_emulate(struct jit *jit, LLVMValueRef variable)
{
  for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use))
    if (!asks_for_address(LLVMGetUser(use)))
      return false;
  return !LLVMIsDeclaration(variable) && has_runtime(jit);
}

/* What its copies start with; null: zeros. */
static LLVMValueRef make_template(LLVMModuleRef module, LLVMValueRef variable)
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

/* {size, alignment, the runtime's own word, what it starts with}, under the name that compilers give it. */
static LLVMValueRef describe(LLVMModuleRef module, LLVMValueRef variable)
{
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
  LLVMTypeRef type = LLVMGlobalGetValueType(variable), word = LLVMIntPtrTypeInContext(context, layout);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
  unsigned align = LLVMGetAlignment(variable);
  char name[300];
  snprintf(name, sizeof name, "__emutls_v.%.250s", LLVMGetValueName2(variable, &(size_t){0}));
  LLVMValueRef fields[4] = {LLVMConstInt(word, LLVMABISizeOfType(layout, type), false),
                            LLVMConstInt(word, align ? align : LLVMPreferredAlignmentOfGlobal(layout, variable), false),
                            LLVMConstNull(pointer), make_template(module, variable)};
  LLVMValueRef initial = LLVMConstStructInContext(context, fields, 4, false);
  LLVMValueRef control = LLVMAddGlobal(module, LLVMTypeOf(initial), name);
  LLVMSetInitializer(control, initial);
  LLVMSetLinkage(control, LLVMGetLinkage(variable));
  LLVMSetVisibility(control, LLVMGetVisibility(variable));
  return control;
}

static LLVMValueRef runtime(LLVMModuleRef module)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(LLVMGetModuleContext(module), 0);
  LLVMValueRef function = LLVMGetNamedFunction(module, runtime_name);
  return function ? function : LLVMAddFunction(module, runtime_name, LLVMFunctionType(pointer, &pointer, 1, false));
}

static void emulate(LLVMModuleRef module, LLVMValueRef variable)
{
  LLVMValueRef control = describe(module, variable), function = runtime(module);
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
      emulate(copy, g);
  }
}
