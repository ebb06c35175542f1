/* Coroutine skeletons: built with LLVM-C, lowered, run, and the errors of each function, which change no IR.
   Requires: the whole library. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "llvm-c/Core.h"
#include "pycoro.h"

struct client { /* a frontend: its context, module and builder */
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  LLVMTypeRef i32, pointer, nothing;
  coro_engine *engine;
  coro_diags *diags;
};

static int live; /* number of frames that the allocator below returned */
static int cleanups;

static void *take(int32_t size, int32_t align)
{
  (void)align;
  if (size > 1 << 20)
    return NULL;
  live++;
  return malloc((size_t)size);
}

static void *refuse(int64_t size)
{
  (void)size;
  return NULL;
}

static void give(void *memory)
{
  live--;
  free(memory);
}

static void clean(void)
{
  cleanups++;
}

static void start(struct client *client)
{
  memset(client, 0, sizeof *client);
  CHECK(!coro_diags_create(&client->diags) && !coro_engine_create(&client->engine, NULL, client->diags), "an engine");
  client->context = LLVMContextCreate();
  client->module = LLVMModuleCreateWithNameInContext("skeleton", client->context);
  LLVMSetTarget(client->module, coro_engine_triple(client->engine));
  LLVMSetDataLayout(client->module, coro_engine_data_layout(client->engine));
  client->builder = LLVMCreateBuilderInContext(client->context);
  client->i32 = LLVMInt32TypeInContext(client->context);
  client->pointer = LLVMPointerTypeInContext(client->context, 0);
  client->nothing = LLVMVoidTypeInContext(client->context);
}

static void stop(struct client *client, bool adopted)
{
  if (client->builder)
    LLVMDisposeBuilder(client->builder);
  if (!adopted) {
    LLVMDisposeModule(client->module);
    LLVMContextDispose(client->context);
  }
  coro_engine_free(client->engine);
  coro_diags_free(client->diags);
}

static LLVMValueRef declare(struct client *client, const char *name, LLVMTypeRef result, LLVMTypeRef *types,
                            unsigned count)
{
  return LLVMAddFunction(client->module, name, LLVMFunctionType(result, types, count, false));
}

static LLVMValueRef call(struct client *client, LLVMValueRef function)
{
  return LLVMBuildCall2(client->builder, LLVMGlobalGetValueType(function), function, NULL, 0, "");
}

/* Lowers the module, adds it to the engine, and returns the address of a function. */
static void *compiled(struct client *client, const char *passes, const char *name)
{
  coro_module *module = NULL;
  void *address = NULL;
  coro_options options = CORO_OPTIONS_INIT;
  LLVMDisposeBuilder(client->builder);
  client->builder = NULL;
  CHECK(!coro_module_adopt(&module, client->module, client->diags), "%s verifies", name);
  CHECK(!coro_run(module, passes, &options, NULL, client->diags), "%s is lowered", name);
  CHECK(!coro_engine_add(client->engine, module, client->diags), "%s is compiled", name);
  CHECK(!coro_engine_run_constructors(client->engine), "constructors");
  CHECK(!coro_engine_lookup(client->engine, name, &address, client->diags), "%s has an address", name);
  for (size_t i = 0; i < coro_diags_count(client->diags); i++)
    fprintf(stderr, "%s\n", coro_diags_get(client->diags, i)->message);
  coro_module_free(module);
  return address;
}

/* A coroutine with a cleanup: yields %n, saves, suspends, and ends. */
static void build_steps(struct client *client, const coro_skeleton_options *options)
{
  coro_skeleton *skeleton;
  LLVMValueRef function = declare(client, "steps", client->pointer, &client->i32, 1), save;
  LLVMValueRef cleanup = declare(client, "clean", client->nothing, NULL, 0);
  CHECK(!coro_skeleton_create(&skeleton, function, client->builder, options, client->diags), "a skeleton");
  CHECK(coro_skeleton_handle(skeleton) && coro_skeleton_promise(skeleton), "its handle and promise");
  LLVMBasicBlockRef destroyed = LLVMAppendBasicBlockInContext(client->context, function, "destroyed");
  CHECK(!coro_skeleton_yield(skeleton, client->builder, LLVMGetParam(function, 0), destroyed, client->diags), "yield");
  CHECK(!coro_skeleton_save(skeleton, client->builder, &save, client->diags), "save");
  CHECK(!coro_skeleton_suspend(skeleton, client->builder, save, destroyed, client->diags), "suspend");
  call(client, cleanup);
  CHECK(!coro_skeleton_return(skeleton, client->builder, client->diags), "return");
  LLVMPositionBuilderAtEnd(client->builder, destroyed);
  call(client, cleanup);
  LLVMBuildBr(client->builder, coro_skeleton_destroy_block(skeleton));
  CHECK(!coro_skeleton_finish(skeleton, client->diags), "finish");
  coro_skeleton_free(skeleton);
}

static void runs_with_an_allocator(const char *passes)
{
  struct client client;
  start(&client);
  coro_skeleton_options options = CORO_SKELETON_OPTIONS_INIT;
  options.promise = client.i32;
  options.allocate = declare(&client, "take", client.pointer, (LLVMTypeRef[]){client.i32, client.i32}, 2);
  options.deallocate = declare(&client, "give", client.nothing, &client.pointer, 1);
  build_steps(&client, &options);
  CHECK(!coro_engine_define(client.engine, "take", (void *)(uintptr_t)take, NULL) &&
            !coro_engine_define(client.engine, "give", (void *)(uintptr_t)give, NULL) &&
            !coro_engine_define(client.engine, "clean", (void *)(uintptr_t)clean, NULL),
        "names");
  void *(*steps)(int) = (void *(*)(int))(uintptr_t)compiled(&client, passes, "steps");
  for (int resumed = 0; steps && resumed <= 2; resumed++) {
    cleanups = 0;
    void *handle = steps(7);
    CHECK(live == 1 && *(int *)((char *)handle + 16) == 7, "%s: the promise is 7", passes);
    for (int i = 0; i < resumed; i++)
      coro_engine_resume(client.engine, handle);
    CHECK(coro_engine_done(client.engine, handle) == (resumed == 2), "%s: done after two", passes);
    coro_engine_destroy(client.engine, handle);
    CHECK(!live && cleanups == 1, "%s: %d resumes: %d frames, %d cleanups", passes, resumed, live, cleanups);
  }
  stop(&client, true);
}

/* A coroutine that returns void, frees itself, and whose allocator fails. */
static void runs_without_final_suspend(void)
{
  struct client client;
  start(&client);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(client.context);
  coro_skeleton_options options = CORO_SKELETON_OPTIONS_INIT;
  options.no_final_suspend = true;
  options.may_fail = true;
  options.allocate = declare(&client, "refuse", client.pointer, &i64, 1);
  coro_skeleton *skeleton;
  LLVMValueRef function = declare(&client, "detached", client.nothing, NULL, 0);
  LLVMValueRef cleanup = declare(&client, "clean", client.nothing, NULL, 0);
  CHECK(!coro_skeleton_create(&skeleton, function, client.builder, &options, client.diags), "a skeleton");
  CHECK(!coro_skeleton_promise(skeleton), "no promise");
  call(&client, cleanup);
  CHECK(!coro_skeleton_suspend(skeleton, client.builder, NULL, NULL, client.diags), "suspend");
  CHECK(!coro_skeleton_return(skeleton, client.builder, client.diags), "return");
  CHECK(!coro_skeleton_finish(skeleton, client.diags), "finish");
  coro_skeleton_free(skeleton);
  coro_engine_define(client.engine, "refuse", (void *)(uintptr_t)refuse, NULL);
  coro_engine_define(client.engine, "clean", (void *)(uintptr_t)clean, NULL);
  void (*detached)(void) = (void (*)(void))(uintptr_t)compiled(&client, "default<O1>", "detached");
  cleanups = 0;
  if (detached)
    detached();
  CHECK(!cleanups, "the coroutine did not start");
  stop(&client, true);
}

static char *text_of(const struct client *client)
{
  return LLVMPrintModuleToString(client->module);
}

/* The call failed with EUSAGE, this rule and block, and without a change. */
static void rejected_in(struct client *client, coro_status status, const char *rule, const char *block, char *before)
{
  char *after = text_of(client);
  size_t count = coro_diags_count(client->diags);
  const coro_diag *diag = coro_diags_get(client->diags, count ? count - 1 : 0);
  CHECK(status == CORO_EUSAGE && diag && !strcmp(diag->rule, rule), "%s, not %s", rule, diag ? diag->rule : "nothing");
  CHECK(diag && (!block || !strcmp(diag->block, block)), "%s: block %s", rule, diag ? diag->block : "of nothing");
  CHECK(!strcmp(before, after), "%s: no change", rule);
  CHECK(diag && *diag->message && (*diag->hint || !strcmp(rule, "missing-argument")), "%s has a hint", rule);
  LLVMDisposeMessage(before);
  LLVMDisposeMessage(after);
  coro_diags_clear(client->diags);
}

static void rejected(struct client *client, coro_status status, const char *rule, char *before)
{
  rejected_in(client, status, rule, NULL, before);
}

static void rejects_at_creation(void)
{
  struct client client;
  start(&client);
  coro_skeleton *skeleton;
  coro_skeleton_options options = CORO_SKELETON_OPTIONS_INIT;
  LLVMContextRef elsewhere = LLVMContextCreate();
  LLVMValueRef function = declare(&client, "f", client.pointer, NULL, 0);
  LLVMValueRef number = declare(&client, "number", client.i32, &client.i32, 1);
  LLVMValueRef variable = LLVMAddGlobal(client.module, client.i32, "variable");
  LLVMValueRef filled = declare(&client, "filled", client.pointer, NULL, 0);
  LLVMAppendBasicBlockInContext(client.context, filled, "entry");
#define CREATE(of, with) coro_skeleton_create(&skeleton, of, client.builder, with, client.diags)
  rejected(&client, CREATE(NULL, NULL), "missing-argument", text_of(&client));
  rejected(&client, CREATE(variable, NULL), "function", text_of(&client));
  rejected(&client, CREATE(filled, NULL), "function", text_of(&client));
  rejected(&client, CREATE(number, NULL), "result", text_of(&client));
  rejected(&client, CREATE(function, &(coro_skeleton_options){.version = 2}), "options-version", text_of(&client));
  options.promise = LLVMVoidTypeInContext(elsewhere);
  rejected(&client, CREATE(function, &options), "promise", text_of(&client));
  options.promise = client.nothing;
  rejected(&client, CREATE(function, &options), "promise", text_of(&client));
  options = (coro_skeleton_options)CORO_SKELETON_OPTIONS_INIT;
  options.allocate = number;
  rejected(&client, CREATE(function, &options), "allocate", text_of(&client));
  options.allocate = NULL;
  options.deallocate = variable;
  rejected(&client, CREATE(function, &options), "deallocate", text_of(&client));
  LLVMTypeRef far = LLVMPointerTypeInContext(client.context, 1);
  options.deallocate = declare(&client, "give.far", client.nothing, &far, 1);
  rejected(&client, CREATE(function, &options), "deallocate", text_of(&client));
  options.deallocate = declare(&client, "give.kernel", client.nothing, &client.pointer, 1);
  LLVMSetFunctionCallConv(options.deallocate, LLVMSPIRKERNELCallConv);
  rejected(&client, CREATE(function, &options), "deallocate", text_of(&client));
  options.deallocate = NULL;
  options.allocate = declare(&client, "take.far", far, &client.i32, 1);
  rejected(&client, CREATE(function, &options), "allocate", text_of(&client));
  options.allocate = NULL;
  LLVMBuilderRef foreign = LLVMCreateBuilderInContext(elsewhere);
  rejected(&client, coro_skeleton_create(&skeleton, function, foreign, NULL, client.diags), "builder",
           text_of(&client));
  LLVMDisposeBuilder(foreign);
  declare(&client, "malloc", client.i32, &client.pointer, 1);
  rejected(&client, CREATE(function, &options), "allocate", text_of(&client));
  options.allocate = declare(&client, "take", client.pointer, &client.i32, 1);
  LLVMValueRef free_variable = LLVMAddGlobal(client.module, client.i32, "free");
  rejected(&client, CREATE(function, &options), "deallocate", text_of(&client));
  LLVMDeleteGlobal(free_variable);
  options.promise = client.i32;
  LLVMSetDataLayout(client.module, "A5");
  rejected(&client, CREATE(function, &options), "promise", text_of(&client));
  options.promise = NULL;
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("other", client.context);
  LLVMTypeRef type = LLVMFunctionType(client.pointer, &client.i32, 1, false);
  options.allocate = LLVMAddFunction(module, "take", type);
  rejected(&client, CREATE(function, &options), "module", text_of(&client));
  LLVMDisposeModule(module);
  LLVMContextDispose(elsewhere);
  stop(&client, false);
}

static void rejects_while_building(void)
{
  struct client client;
  start(&client);
  coro_skeleton *skeleton;
  coro_skeleton_options options = CORO_SKELETON_OPTIONS_INIT;
  options.promise = client.i32;
  LLVMValueRef function = declare(&client, "f", client.pointer, &client.pointer, 1), save;
  LLVMValueRef other = declare(&client, "other", client.pointer, NULL, 0);
  LLVMBasicBlockRef outside = LLVMAppendBasicBlockInContext(client.context, other, "outside");
  LLVMBuilderRef builder = client.builder;
  CHECK(!coro_skeleton_create(&skeleton, function, builder, &options, client.diags), "a skeleton");
  LLVMBasicBlockRef body = LLVMGetInsertBlock(builder);
  LLVMValueRef parameter = LLVMGetParam(function, 0);
  rejected(&client, coro_skeleton_save(skeleton, builder, NULL, client.diags), "missing-argument", text_of(&client));
  rejected(&client, coro_skeleton_save(NULL, builder, &save, client.diags), "missing-argument", text_of(&client));
  rejected(&client, coro_skeleton_suspend(skeleton, builder, parameter, NULL, client.diags), "save", text_of(&client));
  rejected(&client, coro_skeleton_suspend(skeleton, builder, NULL, outside, client.diags), "destroyed",
           text_of(&client));
  rejected(&client, coro_skeleton_yield(skeleton, builder, parameter, NULL, client.diags), "promise", text_of(&client));
  rejected(&client, coro_skeleton_yield(skeleton, builder, NULL, NULL, client.diags), "missing-argument",
           text_of(&client));
  rejected(&client, coro_skeleton_finish(skeleton, client.diags), "terminator", text_of(&client));
  coro_skeleton *second;
  LLVMValueRef twin = declare(&client, "twin", client.pointer, NULL, 0);
  CHECK(!coro_skeleton_create(&second, twin, builder, NULL, client.diags), "a second skeleton");
  CHECK(!coro_skeleton_save(second, builder, &save, client.diags), "its save");
  coro_skeleton_free(second);
  LLVMPositionBuilderAtEnd(builder, body);
  rejected(&client, coro_skeleton_suspend(skeleton, builder, save, NULL, client.diags), "save", text_of(&client));
  LLVMPositionBuilderAtEnd(builder, outside);
  rejected(&client, coro_skeleton_return(skeleton, builder, client.diags), "insertion-point", text_of(&client));
  LLVMPositionBuilderAtEnd(builder, coro_skeleton_destroy_block(skeleton));
  LLVMBuildAlloca(builder, client.i32, "");
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(body));
  CHECK(!coro_skeleton_return(skeleton, builder, client.diags), "return");
  CHECK(LLVMGetBasicBlockTerminator(body) == LLVMGetLastInstruction(body), "it is built at the end of the block");
  rejected(&client, coro_skeleton_return(skeleton, builder, client.diags), "insertion-point", text_of(&client));
  rejected(&client, coro_skeleton_finish(skeleton, client.diags), "terminator", text_of(&client));
  LLVMInstructionEraseFromParent(LLVMGetFirstInstruction(coro_skeleton_destroy_block(skeleton)));
  char longest[201] = "%";
  memset(longest + 1, 'b', sizeof longest - 2);
  LLVMBasicBlockRef unnamed = LLVMAppendBasicBlockInContext(client.context, function, "");
  rejected_in(&client, coro_skeleton_finish(skeleton, client.diags), "terminator", "%1", text_of(&client));
  LLVMSetValueName2(LLVMBasicBlockAsValue(unnamed), longest + 1, sizeof longest - 2);
  rejected_in(&client, coro_skeleton_finish(skeleton, client.diags), "terminator", longest, text_of(&client));
  LLVMDeleteBasicBlock(unnamed);
  CHECK(!coro_skeleton_finish(skeleton, client.diags), "finish");
  rejected(&client, coro_skeleton_finish(skeleton, client.diags), "finished", text_of(&client));
  rejected(&client, coro_skeleton_save(skeleton, builder, &save, client.diags), "finished", text_of(&client));
  rejected(&client, coro_skeleton_finish(NULL, client.diags), "missing-argument", text_of(&client));
  coro_skeleton_free(skeleton);
  coro_skeleton_free(NULL);
  CHECK(!coro_skeleton_handle(NULL) && !coro_skeleton_promise(NULL) && !coro_skeleton_destroy_block(NULL),
        "no skeleton");
  stop(&client, false);
}

int main(void)
{
  runs_with_an_allocator("coro-early,cgscc(coro-split),coro-cleanup");
  runs_with_an_allocator("default<O2>");
  runs_without_final_suspend();
  rejects_at_creation();
  rejects_while_building();
  return check_done("test_skeleton");
}
