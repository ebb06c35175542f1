/* Coroutines that wait for events, with a save before each suspend, cleanups for destruction, and an allocator:
   `cc downloads.c $(pkg-config --cflags --libs pycoro)`. coro_skeleton_* builds the coroutine intrinsics.
   Requires: pycoro's C library, LLVM 22's C library. Guarantees: exit status 0, or the coro_status of the error. */
#include <llvm-c/Core.h>
#include <pycoro.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- The runtime that the coroutines call ---- */

enum { POOL_FRAMES = 2, MAX_REQUESTS = 16 };

static int frames_in_use;
static void *waiting[MAX_REQUESTS]; /* handles in the order of their requests */
static unsigned request_count;

static void *pool_take(int64_t size, int64_t align)
{
  if (frames_in_use == POOL_FRAMES)
    return NULL;
  frames_in_use++;
  return aligned_alloc((size_t)align, (size_t)((size + align - 1) / align * align));
}

static void pool_give(void *frame)
{
  frames_in_use--;
  free(frame);
}

static void request(void *handle, int chunk)
{
  (void)chunk;
  waiting[request_count++] = handle;
}

static void finished(int chunks)
{
  printf("finished: %d chunks\n", chunks);
}

static void cancelled(int chunk)
{
  printf("cancelled in chunk %d\n", chunk);
}

/* ---- The coroutine ---- */

static LLVMValueRef declare(LLVMModuleRef module, const char *name, LLVMTypeRef result, LLVMTypeRef *types,
                            unsigned count)
{
  return LLVMAddFunction(module, name, LLVMFunctionType(result, types, count, false));
}

static void call(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef *arguments, unsigned count)
{
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, arguments, count, "");
}

/* Frames come from a pool, which may be exhausted. */
static coro_skeleton_options pool_options(LLVMModuleRef module)
{
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(context), pointer = LLVMPointerTypeInContext(context, 0);
  coro_skeleton_options options = CORO_SKELETON_OPTIONS_INIT;
  options.allocate = declare(module, "pool_take", pointer, (LLVMTypeRef[]){i64, i64}, 2);
  options.deallocate = declare(module, "pool_give", LLVMVoidTypeInContext(context), &pointer, 1);
  options.may_fail = true;
  return options;
}

/* Requests a chunk and waits for it. */
static coro_status build_wait(coro_skeleton *skeleton, LLVMBuilderRef builder, LLVMValueRef requests,
                              LLVMValueRef chunk, LLVMBasicBlockRef destroyed, coro_diags *diags)
{
  LLVMValueRef save;
  coro_status status = coro_skeleton_save(skeleton, builder, &save, diags);
  if (status)
    return status;
  call(builder, requests, (LLVMValueRef[]){coro_skeleton_handle(skeleton), chunk}, 2);
  return coro_skeleton_suspend(skeleton, builder, save, destroyed, diags);
}

/* ptr @download(i32 %chunks) requests and awaits chunks, one after another. */
static coro_status build_download(LLVMModuleRef module, LLVMBuilderRef builder, coro_diags *diags)
{
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(context), pointer = LLVMPointerTypeInContext(context, 0);
  LLVMTypeRef nothing = LLVMVoidTypeInContext(context);
  LLVMValueRef function = declare(module, "download", pointer, &i32, 1), chunks = LLVMGetParam(function, 0);
  LLVMValueRef requests = declare(module, "request", nothing, (LLVMTypeRef[]){pointer, i32}, 2);

  coro_skeleton *skeleton;
  coro_skeleton_options options = pool_options(module);
  coro_status status = coro_skeleton_create(&skeleton, function, builder, &options, diags);
  if (status)
    return status;
  LLVMBasicBlockRef start = LLVMGetInsertBlock(builder);
  LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(context, function, "loop");
  LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(context, function, "body");
  LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(context, function, "done");
  LLVMBasicBlockRef destroyed = LLVMAppendBasicBlockInContext(context, function, "destroyed");
  LLVMBuildBr(builder, loop);

  LLVMPositionBuilderAtEnd(builder, loop);
  LLVMValueRef chunk = LLVMBuildPhi(builder, i32, "chunk");
  LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntSLT, chunk, chunks, "more"), body, done);

  LLVMPositionBuilderAtEnd(builder, body);
  status = build_wait(skeleton, builder, requests, chunk, destroyed, diags);
  LLVMValueRef next = LLVMBuildAdd(builder, chunk, LLVMConstInt(i32, 1, false), "next");
  LLVMAddIncoming(chunk, (LLVMValueRef[]){LLVMConstInt(i32, 0, false), next},
                  (LLVMBasicBlockRef[]){start, LLVMGetInsertBlock(builder)}, 2);
  LLVMBuildBr(builder, loop);

  LLVMPositionBuilderAtEnd(builder, done);
  call(builder, declare(module, "finished", nothing, &i32, 1), &chunks, 1);
  status = status ? status : coro_skeleton_return(skeleton, builder, diags);

  LLVMPositionBuilderAtEnd(builder, destroyed);
  call(builder, declare(module, "cancelled", nothing, &i32, 1), &chunk, 1);
  LLVMBuildBr(builder, coro_skeleton_destroy_block(skeleton));
  status = status ? status : coro_skeleton_finish(skeleton, diags);
  coro_skeleton_free(skeleton);
  return status;
}

/* ---- The program ---- */

static coro_status define_runtime(coro_engine *engine, coro_diags *diags)
{
  const struct {
    const char *name;
    uintptr_t address;
  } functions[] = {{"pool_take", (uintptr_t)pool_take},
                   {"pool_give", (uintptr_t)pool_give},
                   {"request", (uintptr_t)request},
                   {"finished", (uintptr_t)finished},
                   {"cancelled", (uintptr_t)cancelled}};
  coro_status status = CORO_OK;
  for (size_t i = 0; i < sizeof functions / sizeof *functions && !status; i++)
    status = coro_engine_define(engine, functions[i].name, (void *)functions[i].address, diags);
  return status;
}

/* Downloads three chunks, and cancels another download then. */
static void run_downloads(coro_engine *engine, void *(*download)(int))
{
  void *first = download(3), *second = download(5), *third = download(1);
  printf("third download: %s\n", third ? "started" : "no frame");
  for (unsigned i = 0; !coro_engine_done(engine, first); i++)
    coro_engine_resume(engine, waiting[i]);
  coro_engine_destroy(engine, first);
  coro_engine_destroy(engine, second);
  printf("%d frames in use\n", frames_in_use);
}

/* Lowers, compiles and runs the module, and frees it. */
static coro_status run(coro_module *module, coro_engine *engine, coro_diags *diags)
{
  void *address = NULL;
  coro_options options = CORO_OPTIONS_INIT;
  coro_status status = coro_run(module, "default<O2>", &options, NULL, diags);
  status = status ? status : define_runtime(engine, diags);
  status = status ? status : coro_engine_add(engine, module, diags);
  status = status ? status : coro_engine_lookup(engine, "download", &address, diags);
  if (!status)
    run_downloads(engine, (void *(*)(int))(uintptr_t)address);
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
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("downloads", context);
  if (engine) {
    LLVMSetTarget(module, coro_engine_triple(engine));
    LLVMSetDataLayout(module, coro_engine_data_layout(engine));
  }
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  status = status ? status : build_download(module, builder, diags);
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
