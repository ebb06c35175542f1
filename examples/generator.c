/* A generator that is built through LLVM-C alone, lowered by pycoro, compiled and run:
   `cc generator.c $(pkg-config --cflags --libs pycoro)`. coro_skeleton_* builds the coroutine intrinsics.
   Requires: pycoro's C library, LLVM 22's C library. Guarantees: exit status 0, or the coro_status of the error. */
#include <llvm-c/Core.h>
#include <pycoro.h>
#include <stdio.h>
#include <string.h>

/* ptr @squares(i32 %to) yields the squares of 1 to %to. */
static coro_status build_generator(LLVMModuleRef module, LLVMBuilderRef builder, coro_diags *diags)
{
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(context), pointer = LLVMPointerTypeInContext(context, 0);
  LLVMValueRef function = LLVMAddFunction(module, "squares", LLVMFunctionType(pointer, &i32, 1, false));
  LLVMValueRef to = LLVMGetParam(function, 0), one = LLVMConstInt(i32, 1, false);

  coro_skeleton *skeleton;
  coro_skeleton_options options = CORO_SKELETON_OPTIONS_INIT;
  options.promise = i32;
  coro_status status = coro_skeleton_create(&skeleton, function, builder, &options, diags);
  if (status)
    return status;
  LLVMBasicBlockRef start = LLVMGetInsertBlock(builder);
  LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(context, function, "loop");
  LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(context, function, "body");
  LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(context, function, "done");
  LLVMBuildBr(builder, loop);

  LLVMPositionBuilderAtEnd(builder, loop);
  LLVMValueRef n = LLVMBuildPhi(builder, i32, "n");
  LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntSLE, n, to, "more"), body, done);

  LLVMPositionBuilderAtEnd(builder, body);
  status = coro_skeleton_yield(skeleton, builder, LLVMBuildMul(builder, n, n, "square"), NULL, diags);
  LLVMValueRef next = LLVMBuildAdd(builder, n, one, "next");
  LLVMAddIncoming(n, (LLVMValueRef[]){one, next}, (LLVMBasicBlockRef[]){start, LLVMGetInsertBlock(builder)}, 2);
  LLVMBuildBr(builder, loop);

  LLVMPositionBuilderAtEnd(builder, done);
  status = status ? status : coro_skeleton_return(skeleton, builder, diags);
  status = status ? status : coro_skeleton_finish(skeleton, diags);
  coro_skeleton_free(skeleton);
  return status;
}

static LLVMValueRef call_intrinsic(LLVMModuleRef module, LLVMBuilderRef builder, const char *name,
                                   LLVMValueRef *arguments, unsigned count)
{
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(module, id, NULL, 0);
  return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, arguments, count, "");
}

/* i32 @sum(i32 %to) adds the values of the generator. */
static void build_sum(LLVMModuleRef module, LLVMBuilderRef builder)
{
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
  LLVMValueRef function = LLVMAddFunction(module, "sum", LLVMFunctionType(i32, &i32, 1, false));
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, function, "entry");
  LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(context, function, "loop");
  LLVMBasicBlockRef read = LLVMAppendBasicBlockInContext(context, function, "read");
  LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(context, function, "done");

  LLVMPositionBuilderAtEnd(builder, entry);
  LLVMValueRef squares = LLVMGetNamedFunction(module, "squares"), to = LLVMGetParam(function, 0);
  LLVMValueRef handle = LLVMBuildCall2(builder, LLVMGlobalGetValueType(squares), squares, &to, 1, "handle");
  LLVMBuildBr(builder, loop);

  LLVMPositionBuilderAtEnd(builder, loop);
  LLVMValueRef sum = LLVMBuildPhi(builder, i32, "sum");
  LLVMBuildCondBr(builder, call_intrinsic(module, builder, "llvm.coro.done", &handle, 1), done, read);

  LLVMPositionBuilderAtEnd(builder, read);
  LLVMValueRef align = LLVMConstInt(i32, 4, false), from = LLVMConstInt(LLVMInt1TypeInContext(context), 0, false);
  LLVMValueRef promise = call_intrinsic(module, builder, "llvm.coro.promise", (LLVMValueRef[]){handle, align, from}, 3);
  LLVMValueRef value = LLVMBuildLoad2(builder, i32, promise, "value");
  LLVMValueRef next = LLVMBuildAdd(builder, sum, value, "next");
  call_intrinsic(module, builder, "llvm.coro.resume", &handle, 1);
  LLVMBuildBr(builder, loop);
  LLVMAddIncoming(sum, (LLVMValueRef[]){LLVMConstInt(i32, 0, false), next}, (LLVMBasicBlockRef[]){entry, read}, 2);

  LLVMPositionBuilderAtEnd(builder, done);
  call_intrinsic(module, builder, "llvm.coro.destroy", &handle, 1);
  LLVMBuildRet(builder, sum);
}

/* Lowers, compiles and runs the module, and frees it. */
static coro_status run(coro_module *module, coro_engine *engine, coro_diags *diags)
{
  void *address = NULL;
  coro_options options = CORO_OPTIONS_INIT;
  coro_status status = coro_run(module, "default<O2>", &options, NULL, diags);
  status = status ? status : coro_engine_add(engine, module, diags);
  status = status ? status : coro_engine_run_constructors(engine);
  status = status ? status : coro_engine_lookup(engine, "sum", &address, diags);
  if (!status)
    printf("%d\n", ((int (*)(int))(uintptr_t)address)(10));
  coro_module_free(module);
  return status;
}

int main(void)
{
  coro_diags *diags = NULL;
  coro_engine *engine = NULL;
  coro_module *owner = NULL;
  coro_status status = coro_diags_create(&diags);
  status = status ? status : coro_engine_create(&engine, NULL, diags);
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("generator", context);
  if (engine) {
    LLVMSetTarget(module, coro_engine_triple(engine));
    LLVMSetDataLayout(module, coro_engine_data_layout(engine));
  }
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  status = status ? status : build_generator(module, builder, diags);
  if (!status)
    build_sum(module, builder);
  LLVMDisposeBuilder(builder);
  status = status ? status : coro_module_adopt(&owner, module, diags); /* takes the module and its context */
  if (!owner) {
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
  }
  status = status ? status : run(owner, engine, diags);
  for (size_t i = 0; i < coro_diags_count(diags); i++)
    fprintf(stderr, "@%s: %s: %s\n", coro_diags_get(diags, i)->function, coro_diags_get(diags, i)->message,
            coro_diags_get(diags, i)->hint);
  coro_engine_free(engine);
  coro_diags_free(diags);
  return (int)status;
}
