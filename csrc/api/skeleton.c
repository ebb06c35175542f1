/* Coroutine skeletons: the intrinsics of a switch-ABI coroutine, built into a function of the client.
   Requires: ir. Guarantees: a function that returns an error has not changed the IR. */
#include <stdlib.h>

#include "api/usage.h"
#include "ir/edit.h"
#include "ir/intrin.h"
#include "ir/size.h"
#include "ir/text.h"
#include "llvm-c/Target.h"

struct coro_skeleton {
  struct intrin_table table;
  LLVMValueRef function;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMValueRef id, handle, promise;
  LLVMTypeRef promise_type;
  LLVMValueRef deallocate;
  LLVMBasicBlockRef destroy, end, final; /* empty until finish */
  bool finished;
};

static coro_status report_misuse(LLVMValueRef function, LLVMBasicBlockRef block, const char *rule, const char *message,
                                 const char *hint, coro_diags *diags)
{
  coro_diag diag = {.status = CORO_EUSAGE, .rule = rule, .message = message, .hint = hint};
  struct coro_arena *arena = coro_arena_create();
  diag.function = function ? edit_value_name(function) : "";
  diag.block = block && arena ? ir_text_label_of_block(arena, block) : NULL;
  coro_diags_add(diags, &diag);
  coro_arena_free(arena);
  return diag.status;
}

/* ---- Building ---- */

static LLVMValueRef token_none(const coro_skeleton *skeleton)
{
  return LLVMConstNull(LLVMTokenTypeInContext(skeleton->context));
}

static LLVMValueRef build_intrinsic(const coro_skeleton *skeleton, LLVMBuilderRef builder, enum intrin intrin,
                                    LLVMTypeRef overload, LLVMValueRef *arguments, unsigned count, const char *name)
{
  LLVMValueRef callee =
      intrin_declare(&skeleton->table, skeleton->module, intrin, overload ? &overload : NULL, overload ? 1 : 0);
  return edit_build_call(builder, callee, arguments, count, name);
}

static LLVMBasicBlockRef append_block(const coro_skeleton *skeleton, const char *name)
{
  return LLVMAppendBasicBlockInContext(skeleton->context, skeleton->function, name);
}

static LLVMTypeRef pointer_type(const coro_skeleton *skeleton)
{
  return LLVMPointerTypeInContext(skeleton->context, 0);
}

/* The function of the C library, or the client's. */
static LLVMValueRef allocator_or_malloc(const coro_skeleton *skeleton, LLVMValueRef client_allocator)
{
  if (client_allocator)
    return client_allocator;
  LLVMTypeRef size = LLVMIntPtrTypeInContext(skeleton->context, LLVMGetModuleDataLayout(skeleton->module));
  return edit_declare_library_function(skeleton->module, "malloc",
                                       LLVMFunctionType(pointer_type(skeleton), &size, 1, false));
}

static LLVMValueRef deallocator_or_free(const coro_skeleton *skeleton, LLVMValueRef client_deallocator)
{
  LLVMTypeRef pointer = pointer_type(skeleton);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(skeleton->context), &pointer, 1, false);
  return client_deallocator ? client_deallocator : edit_declare_library_function(skeleton->module, "free", type);
}

static LLVMValueRef build_allocation(const coro_skeleton *skeleton, LLVMBuilderRef builder, LLVMValueRef allocate)
{
  LLVMTypeRef types[2];
  unsigned count = LLVMCountParamTypes(LLVMGlobalGetValueType(allocate));
  LLVMGetParamTypes(LLVMGlobalGetValueType(allocate), types);
  LLVMValueRef arguments[2] = {build_intrinsic(skeleton, builder, INTRIN_SIZE, types[0], NULL, 0, "size")};
  if (count == 2)
    arguments[1] = build_intrinsic(skeleton, builder, INTRIN_ALIGN, types[1], NULL, 0, "align");
  return edit_build_call(builder, allocate, arguments, count, "memory");
}

static void build_return(const coro_skeleton *skeleton, LLVMBuilderRef builder, LLVMValueRef handle)
{
  if (LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(skeleton->function))) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(builder);
  else
    LLVMBuildRet(builder, handle);
}

/* Builds the blocks from the entry to llvm.coro.begin. */
static void build_blocks_until_coro_begin(coro_skeleton *skeleton, LLVMBuilderRef builder,
                                          const coro_skeleton_options *options)
{
  LLVMValueRef null = LLVMConstNull(pointer_type(skeleton));
  LLVMBasicBlockRef entry = append_block(skeleton, "entry"), allocate = append_block(skeleton, "coro.allocate"),
                    begin = append_block(skeleton, "coro.begin");
  LLVMValueRef allocator = allocator_or_malloc(skeleton, options->allocate);
  skeleton->deallocate = deallocator_or_free(skeleton, options->deallocate);
  LLVMPositionBuilderAtEnd(builder, entry);
  if (options->promise)
    skeleton->promise = LLVMBuildAlloca(builder, options->promise, "promise");
  LLVMValueRef zero = LLVMConstInt(LLVMInt32TypeInContext(skeleton->context), 0, false);
  LLVMValueRef id[] = {zero, skeleton->promise ? skeleton->promise : null, null, null};
  skeleton->id = build_intrinsic(skeleton, builder, INTRIN_ID, NULL, id, 4, "id");
  LLVMValueRef needed = build_intrinsic(skeleton, builder, INTRIN_ALLOC, NULL, &skeleton->id, 1, "allocates");
  LLVMBuildCondBr(builder, needed, allocate, begin);
  LLVMPositionBuilderAtEnd(builder, allocate);
  LLVMValueRef memory = build_allocation(skeleton, builder, allocator);
  if (options->may_fail) {
    LLVMBasicBlockRef failed = append_block(skeleton, "coro.failed");
    LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, memory, "fails"), failed, begin);
    LLVMPositionBuilderAtEnd(builder, failed);
    build_return(skeleton, builder, null);
  } else {
    LLVMBuildBr(builder, begin);
  }
  LLVMPositionBuilderAtEnd(builder, begin);
  LLVMValueRef place = LLVMBuildPhi(builder, pointer_type(skeleton), "frame");
  LLVMAddIncoming(place, (LLVMValueRef[]){null, memory}, (LLVMBasicBlockRef[]){entry, allocate}, 2);
  skeleton->handle =
      build_intrinsic(skeleton, builder, INTRIN_BEGIN, NULL, (LLVMValueRef[]){skeleton->id, place}, 2, "handle");
  skeleton->destroy = append_block(skeleton, "coro.destroy");
  skeleton->end = append_block(skeleton, "coro.end");
  skeleton->final = options->no_final_suspend ? NULL : append_block(skeleton, "coro.final");
  edit_add_function_attribute(skeleton->function, "presplitcoroutine");
}

static void build_suspend_and_switch(const coro_skeleton *skeleton, LLVMBuilderRef builder, LLVMValueRef save,
                                     bool final, LLVMBasicBlockRef resumed, LLVMBasicBlockRef destroyed)
{
  LLVMValueRef arguments[] = {save ? save : token_none(skeleton), edit_bool_constant(skeleton->context, final)};
  LLVMValueRef result = build_intrinsic(skeleton, builder, INTRIN_SUSPEND, NULL, arguments, 2, "suspend");
  LLVMTypeRef byte = LLVMInt8TypeInContext(skeleton->context);
  LLVMValueRef to = LLVMBuildSwitch(builder, result, skeleton->end, 2);
  LLVMAddCase(to, LLVMConstInt(byte, 0, false), resumed);
  LLVMAddCase(to, LLVMConstInt(byte, 1, false), destroyed ? destroyed : skeleton->destroy);
}

/* ---- Checks ---- */

static bool is_type_of_kind_and_default_space(LLVMTypeRef type, LLVMTypeKind kind)
{
  return kind == LLVMPointerTypeKind ? edit_is_default_pointer(type) : LLVMGetTypeKind(type) == kind;
}

/* A function with one to `max_parameters` parameters of one kind, which the coroutine can call. */
static bool is_callable_with_signature(LLVMValueRef function, LLVMTypeKind result, unsigned max_parameters,
                                       LLVMTypeKind parameter)
{
  LLVMTypeRef types[2], type = LLVMIsAFunction(function) ? LLVMGlobalGetValueType(function) : NULL;
  unsigned count = type ? LLVMCountParamTypes(type) : 0;
  if (!count || count > max_parameters || LLVMIsFunctionVarArg(type) ||
      !is_type_of_kind_and_default_space(LLVMGetReturnType(type), result))
    return false;
  LLVMGetParamTypes(type, types);
  for (unsigned i = 0; i < count; i++)
    if (!is_type_of_kind_and_default_space(types[i], parameter))
      return false;
  return edit_permits_generated_calls(function);
}

/* An allocator or deallocator of the client, or the module's function of that name, if there is one. */
static coro_status check_allocator_function(LLVMValueRef function, LLVMValueRef client_function, bool allocates,
                                            coro_diags *diags)
{
  LLVMModuleRef module = LLVMGetGlobalParent(function);
  const char *name = allocates ? "malloc" : "free";
  LLVMValueRef callee = client_function ? client_function : LLVMGetNamedFunction(module, name);
  bool fits = !callee ? !edit_is_symbol_name_in_use(module, name)
                      : (allocates ? is_callable_with_signature(callee, LLVMPointerTypeKind, 2, LLVMIntegerTypeKind)
                                   : is_callable_with_signature(callee, LLVMVoidTypeKind, 1, LLVMPointerTypeKind));
  if (!fits && allocates)
    return report_misuse(function, NULL, "allocate", "the allocator is not a function ptr (iN) or ptr (iN, iN)",
                         "pass a function that takes the size, or the size and the alignment, in `allocate`", diags);
  if (!fits)
    return report_misuse(function, NULL, "deallocate", "the deallocator is not a function void (ptr)",
                         "pass a function that takes the memory in `deallocate`", diags);
  if (callee && LLVMGetGlobalParent(callee) != module)
    return report_misuse(function, NULL, "module", "the allocator or deallocator is a function of another module",
                         "declare it in the module of the coroutine", diags);
  return CORO_OK;
}

static coro_status check_skeleton_options(LLVMValueRef function, const coro_skeleton_options *options,
                                          coro_diags *diags)
{
  if (options->version != 1)
    return usage_version("start from CORO_SKELETON_OPTIONS_INIT", diags);
  if (options->promise && LLVMGetTypeContext(options->promise) != LLVMGetTypeContext(LLVMTypeOf(function)))
    return report_misuse(function, NULL, "promise", "the type of the promise is of another LLVMContext",
                         "create the type in the context of the module", diags);
  if (options->promise && !LLVMTypeIsSized(options->promise))
    return report_misuse(function, NULL, "promise", "the type of the promise has no size",
                         "use a type that can be loaded", diags);
  if (options->promise && ir_alloca_address_space(LLVMGetModuleDataLayout(LLVMGetGlobalParent(function))))
    return report_misuse(function, NULL, "promise",
                         "the data layout has allocas in an address space other than that of a promise, 0",
                         "exchange values in memory of the caller, whose address is a parameter", diags);
  coro_status status = check_allocator_function(function, options->allocate, true, diags);
  return status ? status : check_allocator_function(function, options->deallocate, false, diags);
}

static coro_status check_function_is_empty_and_returns_handle(LLVMValueRef function, coro_diags *diags)
{
  if (!LLVMIsAFunction(function))
    return report_misuse(NULL, NULL, "function", "a coroutine skeleton is built into a function",
                         "pass a value from LLVMAddFunction", diags);
  if (LLVMCountBasicBlocks(function))
    return report_misuse(function, LLVMGetEntryBasicBlock(function), "function", "the function has blocks already",
                         "create the skeleton first, which adds the entry block", diags);
  LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(function));
  if (!edit_is_default_pointer(result) && LLVMGetTypeKind(result) != LLVMVoidTypeKind)
    return report_misuse(function, NULL, "result", "a coroutine returns its handle, a ptr, or void",
                         "change the result type of the function", diags);
  return CORO_OK;
}

static coro_status check_builder_context(LLVMValueRef function, LLVMBuilderRef builder, coro_diags *diags)
{
  if (LLVMGetBuilderContext(builder) == LLVMGetModuleContext(LLVMGetGlobalParent(function)))
    return CORO_OK;
  return report_misuse(function, NULL, "builder", "the builder is of another LLVMContext",
                       "create it in the context of the module", diags);
}

/* Positions the builder at the end of its block, which must be an unfinished one of the coroutine. */
static coro_status check_and_move_builder_to_block_end(const coro_skeleton *skeleton, LLVMBuilderRef builder,
                                                       coro_diags *diags)
{
  if (!skeleton || !builder)
    return usage_missing("a skeleton and a builder are required", diags);
  LLVMValueRef function = skeleton->function;
  LLVMBasicBlockRef block = LLVMGetInsertBlock(builder);
  if (skeleton->finished)
    return report_misuse(function, NULL, "finished", "the coroutine is finished", "build before coro_skeleton_finish",
                         diags);
  if (!block || LLVMGetBasicBlockParent(block) != function)
    return report_misuse(function, NULL, "insertion-point", "the builder is not in a block of the coroutine",
                         "position it by LLVMPositionBuilderAtEnd", diags);
  if (LLVMGetBasicBlockTerminator(block))
    return report_misuse(function, block, "insertion-point", "the builder's block has a terminator",
                         "position the builder at the end of another block", diags);
  coro_status status = check_builder_context(function, builder, diags);
  if (!status)
    LLVMPositionBuilderAtEnd(builder, block);
  return status;
}

static coro_status check_suspend_arguments(const coro_skeleton *skeleton, LLVMValueRef save,
                                           LLVMBasicBlockRef destroyed, coro_diags *diags)
{
  if (save &&
      (intrin_of_call(&skeleton->table, save) != INTRIN_SAVE || LLVMGetOperand(save, SAVE_HANDLE) != skeleton->handle))
    return report_misuse(skeleton->function, NULL, "save", "`save` is not a call of llvm.coro.save for this coroutine",
                         "pass the result of coro_skeleton_save, or NULL", diags);
  if (destroyed && LLVMGetBasicBlockParent(destroyed) != skeleton->function)
    return report_misuse(skeleton->function, destroyed, "destroyed", "`destroyed` is a block of another function",
                         "pass a block of the coroutine, or NULL", diags);
  return CORO_OK;
}

/* ---- Public functions ---- */

coro_status coro_skeleton_create(coro_skeleton **out, LLVMValueRef function, LLVMBuilderRef builder,
                                 const coro_skeleton_options *options, coro_diags *diags)
{
  static const coro_skeleton_options defaults = CORO_SKELETON_OPTIONS_INIT;
  USAGE_CLEAR_OUTPUT(out);
  if (!out || !function || !builder)
    return usage_missing("an output pointer, a function and a builder are required", diags);
  options = options ? options : &defaults;
  coro_status status = check_function_is_empty_and_returns_handle(function, diags);
  status = status ? status : check_builder_context(function, builder, diags);
  status = status ? status : check_skeleton_options(function, options, diags);
  if (status)
    return status;
  coro_skeleton *skeleton = calloc(1, sizeof *skeleton);
  if (!skeleton)
    return CORO_ENOMEM;
  intrin_table_init(&skeleton->table);
  skeleton->function = function;
  skeleton->module = LLVMGetGlobalParent(function);
  skeleton->context = LLVMGetModuleContext(skeleton->module);
  skeleton->promise_type = options->promise;
  build_blocks_until_coro_begin(skeleton, builder, options);
  *out = skeleton;
  return CORO_OK;
}

void coro_skeleton_free(coro_skeleton *skeleton)
{
  free(skeleton);
}

LLVMValueRef coro_skeleton_handle(const coro_skeleton *skeleton)
{
  return skeleton ? skeleton->handle : NULL;
}

LLVMValueRef coro_skeleton_promise(const coro_skeleton *skeleton)
{
  return skeleton ? skeleton->promise : NULL;
}

LLVMBasicBlockRef coro_skeleton_destroy_block(const coro_skeleton *skeleton)
{
  return skeleton ? skeleton->destroy : NULL;
}

coro_status coro_skeleton_save(coro_skeleton *skeleton, LLVMBuilderRef builder, LLVMValueRef *save, coro_diags *diags)
{
  USAGE_CLEAR_OUTPUT(save);
  coro_status status = save ? check_and_move_builder_to_block_end(skeleton, builder, diags)
                            : usage_missing("an output pointer for the save is required", diags);
  if (!status)
    *save = build_intrinsic(skeleton, builder, INTRIN_SAVE, NULL, &skeleton->handle, 1, "save");
  return status;
}

coro_status coro_skeleton_suspend(coro_skeleton *skeleton, LLVMBuilderRef builder, LLVMValueRef save,
                                  LLVMBasicBlockRef destroyed, coro_diags *diags)
{
  coro_status status = check_and_move_builder_to_block_end(skeleton, builder, diags);
  status = status ? status : check_suspend_arguments(skeleton, save, destroyed, diags);
  if (status)
    return status;
  LLVMBasicBlockRef resumed = append_block(skeleton, "resumed");
  build_suspend_and_switch(skeleton, builder, save, false, resumed, destroyed);
  LLVMPositionBuilderAtEnd(builder, resumed);
  return CORO_OK;
}

coro_status coro_skeleton_yield(coro_skeleton *skeleton, LLVMBuilderRef builder, LLVMValueRef value,
                                LLVMBasicBlockRef destroyed, coro_diags *diags)
{
  coro_status status = value ? check_and_move_builder_to_block_end(skeleton, builder, diags)
                             : usage_missing("a value to yield is required", diags);
  status = status ? status : check_suspend_arguments(skeleton, NULL, destroyed, diags);
  if (status)
    return status;
  if (!skeleton->promise || LLVMTypeOf(value) != skeleton->promise_type)
    return report_misuse(skeleton->function, LLVMGetInsertBlock(builder), "promise",
                         "the value does not have the type of the promise",
                         "set `promise` in the options to the type of the values", diags);
  LLVMBuildStore(builder, value, skeleton->promise);
  return coro_skeleton_suspend(skeleton, builder, NULL, destroyed, diags);
}

coro_status coro_skeleton_return(coro_skeleton *skeleton, LLVMBuilderRef builder, coro_diags *diags)
{
  coro_status status = check_and_move_builder_to_block_end(skeleton, builder, diags);
  if (!status)
    LLVMBuildBr(builder, skeleton->final ? skeleton->final : skeleton->destroy);
  return status;
}

static bool is_block_used(LLVMBasicBlockRef block)
{
  return LLVMGetFirstUse(LLVMBasicBlockAsValue(block)) != NULL;
}

static coro_status check_skeleton_can_be_finished(const coro_skeleton *skeleton, coro_diags *diags)
{
  if (!skeleton)
    return usage_missing("a skeleton is required", diags);
  if (skeleton->finished)
    return report_misuse(skeleton->function, NULL, "finished", "the coroutine is finished already", "finish it once",
                         diags);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(skeleton->function); block;
       block = LLVMGetNextBasicBlock(block)) {
    bool own = block == skeleton->destroy || block == skeleton->end || block == skeleton->final;
    if (!own && !LLVMGetBasicBlockTerminator(block))
      return report_misuse(skeleton->function, block, "terminator", "the block has no terminator",
                           "end it by coro_skeleton_return or a branch", diags);
    if (own && LLVMGetFirstInstruction(block))
      return report_misuse(skeleton->function, block, "terminator",
                           "the block belongs to the skeleton, but has instructions",
                           "branch to it from a block of your own", diags);
  }
  return CORO_OK;
}

coro_status coro_skeleton_finish(coro_skeleton *skeleton, coro_diags *diags)
{
  coro_status status = check_skeleton_can_be_finished(skeleton, diags);
  if (status)
    return status;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(skeleton->context);
  if (skeleton->final && !is_block_used(skeleton->final)) {
    LLVMDeleteBasicBlock(skeleton->final);
  } else if (skeleton->final) {
    LLVMBasicBlockRef never = append_block(skeleton, "coro.never");
    LLVMPositionBuilderAtEnd(builder, skeleton->final);
    build_suspend_and_switch(skeleton, builder, NULL, true, never, NULL);
    LLVMPositionBuilderAtEnd(builder, never);
    LLVMBuildUnreachable(builder);
  }
  LLVMMoveBasicBlockAfter(skeleton->destroy, LLVMGetLastBasicBlock(skeleton->function));
  LLVMMoveBasicBlockAfter(skeleton->end, LLVMGetLastBasicBlock(skeleton->function));
  LLVMBasicBlockRef release = LLVMInsertBasicBlockInContext(skeleton->context, skeleton->end, "coro.free");
  LLVMPositionBuilderAtEnd(builder, skeleton->destroy);
  LLVMValueRef memory = build_intrinsic(skeleton, builder, INTRIN_FREE, NULL,
                                        (LLVMValueRef[]){skeleton->id, skeleton->handle}, 2, "memory");
  LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, memory, "elided"), skeleton->end, release);
  LLVMPositionBuilderAtEnd(builder, release);
  edit_build_call(builder, skeleton->deallocate, &memory, 1, "");
  LLVMBuildBr(builder, skeleton->end);
  LLVMPositionBuilderAtEnd(builder, skeleton->end);
  LLVMValueRef end[] = {skeleton->handle, edit_bool_constant(skeleton->context, false), token_none(skeleton)};
  build_intrinsic(skeleton, builder, INTRIN_END, NULL, end, 3, "");
  build_return(skeleton, builder, skeleton->handle);
  LLVMDisposeBuilder(builder);
  skeleton->final = NULL;
  skeleton->finished = true;
  return CORO_OK;
}
