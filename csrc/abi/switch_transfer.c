/* Implements symmetric transfer on targets without guaranteed tail calls by a trampoline. A coroutine that transfers
   returns the next handle to a loop in the function that resumed it, so the stack does not grow. The loop announces in
   a thread-local variable which resume function and handle it is about to call, and where it reads the next handle. A
   resume function that finds itself announced clears the variable and stores its next handle there. Any other call of a
   resume function runs such a loop itself before it returns, as its caller expects. Code from other compilers never
   finds itself announced.
   Requires: emission of a clone in progress.
   Guarantees: f.driver, f.transfer; the variable, which is shared between modules. */
#include <stdbool.h>
#include <string.h>

#include "abi/hook_module.h"
#include "abi/switch_internal.h"
#include "base/starts_with.h"
#include "emit/call.h"
#include "emit/copy.h"
#include "emit/declare.h"
#include "emit/edges.h"
#include "emit/lookup.h"
#include "emit/noop.h"
#include "ir/edit.h"
#include "llvm-c/Core.h"
#include "llvm-c/DebugInfo.h"
#include "lowering/abi.h"
#include "transform/lowering_variable.h"
#include "transform/tailcall.h"

/* ---- The thread-local storage of a target ---- */

enum threads {
  THREADS_UNKNOWN, /* no thread-local storage, although the target may have several threads */
  THREADS_ONE,     /* bare metal with a single thread: a plain global variable suffices */
  THREADS_MANY     /* thread_local variables */
};

enum threads thread_local_storage_support_of(LLVMModuleRef module);

static const struct {
  const char *prefix;
  enum threads threads;
} targets[] = {
#define LLVM_THREAD_STORAGE(prefix, threads) {prefix, THREADS_##threads},
#include "llvm_targets.def"
};

/* True if one component of the triple after the architecture is `word`. */
static bool triple_has_component(const char *triple, const char *word)
{
  size_t length = strlen(word);
  for (const char *at = strchr(triple, '-'); at; at = strchr(at + 1, '-'))
    if (!strncmp(at + 1, word, length) && (!at[1 + length] || at[1 + length] == '-'))
      return true;
  return false;
}

/* In aarch64-none-linux-gnu "none" is the vendor, not the system. */
static bool triple_has_operating_system(const char *triple)
{
  return triple_has_component(triple, "linux") ||
         !(triple_has_component(triple, "none") || triple_has_component(triple, "elf"));
}

enum threads thread_local_storage_support_of(LLVMModuleRef module)
{
  const char *triple = LLVMGetTarget(module);
  /* Without a target, thread_local is assumed to work. */
  enum threads threads = *triple ? THREADS_UNKNOWN : THREADS_MANY;
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
    if (coro_starts_with(triple, targets[i].prefix))
      threads = targets[i].threads;
  return threads == THREADS_MANY && *triple && !triple_has_operating_system(triple) ? THREADS_ONE : threads;
}

static const char state_name[] = "pycoro.transfer";

/* Words of the variable. WORD_FUNCTION is cleared first; then they are written in this order and read in this order.
   A signal handler that resumes coroutines in between can therefore only make an announced call look unannounced. */
enum word { WORD_NEXT_ADDRESS, WORD_HANDLE, WORD_FUNCTION, WORDS };

struct helper {
  struct emit *e;
  LLVMValueRef function;
  LLVMBuilderRef builder;
  LLVMTypeRef pointer, function_pointer;
};

static LLVMTypeRef transfer_state_type(const struct helper *m)
{
  LLVMTypeRef words[WORDS] = {m->pointer, m->pointer, m->function_pointer};
  return LLVMStructTypeInContext(m->e->low->context, words, WORDS, false);
}

/* Whether it is the variable created below, in this module or in one linked to it. */
static bool is_transfer_state_variable(LLVMValueRef variable, const void *user)
{
  const struct helper *m = user;
  LLVMValueRef words = LLVMGetInitializer(variable);
  return words && LLVMTypeOf(words) == transfer_state_type(m) && LLVMIsNull(words) &&
         LLVMGetLinkage(variable) == LLVMLinkOnceODRLinkage && LLVMGetVisibility(variable) == LLVMHiddenVisibility &&
         LLVMIsThreadLocal(variable) == (thread_local_storage_support_of(m->e->low->module) == THREADS_MANY);
}

static LLVMValueRef find_or_add_transfer_state_variable(const struct helper *m)
{
  const char *name;
  LLVMModuleRef module = m->e->low->module;
  LLVMValueRef state =
      lowering_variable_find(module, m->e->low->arena, state_name, is_transfer_state_variable, m, &name);
  if (state)
    return state;
  /* out of memory is reported elsewhere; any name works */
  state = LLVMAddGlobal(module, transfer_state_type(m), name ? name : state_name);
  LLVMSetInitializer(state, LLVMConstNull(transfer_state_type(m)));
  LLVMSetLinkage(state, LLVMLinkOnceODRLinkage);
  LLVMSetVisibility(state, LLVMHiddenVisibility);
  LLVMSetThreadLocal(state, thread_local_storage_support_of(module) == THREADS_MANY);
  return state;
}

/* The variable's address in this thread. */
static LLVMValueRef emit_transfer_state_address(const struct helper *m)
{
  LLVMValueRef state = find_or_add_transfer_state_variable(m);
  LLVMTypeRef type = LLVMTypeOf(state);
  if (!LLVMIsThreadLocal(state))
    return state;
  LLVMValueRef function = intrin_declare(m->e->low->table, m->e->low->module, INTRIN_THREADLOCAL_ADDRESS, &type, 1);
  return edit_build_call(m->builder, function, &state, 1, "state");
}

static LLVMValueRef load_state_word(const struct helper *m, LLVMValueRef state, enum word word)
{
  LLVMValueRef address = LLVMBuildStructGEP2(m->builder, transfer_state_type(m), state, word, "");
  LLVMValueRef load = LLVMBuildLoad2(m->builder, word == WORD_FUNCTION ? m->function_pointer : m->pointer, address, "");
  LLVMSetVolatile(load, true);
  return load;
}

static void store_state_word(const struct helper *m, LLVMValueRef state, enum word word, LLVMValueRef value)
{
  LLVMValueRef address = LLVMBuildStructGEP2(m->builder, transfer_state_type(m), state, word, "");
  LLVMSetVolatile(LLVMBuildStore(m->builder, value, address), true);
}

static LLVMBasicBlockRef append_transfer_block(const struct helper *m, const char *name)
{
  return LLVMAppendBasicBlockInContext(m->e->low->context, m->function, name);
}

static LLVMValueRef set_name_of_parameter(const struct helper *m, unsigned index, const char *name)
{
  LLVMValueRef value = LLVMGetParam(m->function, index);
  LLVMSetValueName2(value, name, strlen(name));
  return value;
}

/* The function stored in a frame of the coroutine: this clone, or its adapter. */
static LLVMValueRef function_stored_in_resume_slot(const struct emit *e)
{
  const struct hook_module *t = e->low->abi->hook_module;
  return t && t->clone_prototype ? e->low->clones[0] : e->function;
}

/* Builds `ptr f.driver(ptr frame)`, which returns the address at which the loop that has announced f.resume with this
   frame reads the next handle; null if no loop has. */
static void build_next_handle_address_body(struct helper *m)
{
  LLVMValueRef self = function_stored_in_resume_slot(m->e), frame = set_name_of_parameter(m, 0, "frame"),
               state = emit_transfer_state_address(m);
  LLVMBasicBlockRef from_loop = append_transfer_block(m, "from.loop"), direct = append_transfer_block(m, "direct");
  LLVMValueRef next_address = load_state_word(m, state, WORD_NEXT_ADDRESS),
               handle = load_state_word(m, state, WORD_HANDLE);
  LLVMValueRef function = load_state_word(m, state, WORD_FUNCTION);
  LLVMValueRef is_announced = LLVMBuildAnd(m->builder, LLVMBuildICmp(m->builder, LLVMIntEQ, function, self, ""),
                                           LLVMBuildICmp(m->builder, LLVMIntEQ, handle, frame, ""), "");
  LLVMBuildCondBr(m->builder, is_announced, from_loop, direct);
  LLVMPositionBuilderAtEnd(m->builder, from_loop);
  store_state_word(m, state, WORD_FUNCTION, LLVMConstNull(m->function_pointer));
  LLVMBuildRet(m->builder, next_address);
  LLVMPositionBuilderAtEnd(m->builder, direct);
  LLVMBuildRet(m->builder, LLVMConstNull(m->pointer));
}

/* The resume function of the module's noop coroutine; NULL if it has none. */
static LLVMValueRef noop_resume_function_or_null(const struct helper *m)
{
  LLVMValueRef function = noop_find_resume_function_or_null(m->e->low->module, m->e->low->arena);
  return function && LLVMTypeOf(function) == m->function_pointer ? function : NULL;
}

static LLVMValueRef load_resume_function_of_handle(const struct helper *m, LLVMValueRef handle)
{
  return LLVMBuildLoad2(m->builder, m->function_pointer, handle, "resume");
}

static void announce_call_of_loop(const struct helper *m, LLVMValueRef state, LLVMValueRef next_address,
                                  LLVMValueRef handle, LLVMValueRef resume)
{
  store_state_word(m, state, WORD_FUNCTION, LLVMConstNull(m->function_pointer));
  store_state_word(m, state, WORD_NEXT_ADDRESS, next_address);
  store_state_word(m, state, WORD_HANDLE, handle);
  store_state_word(m, state, WORD_FUNCTION, resume);
}

/* Builds `do { announce handle; handle->resume(handle); } while ((handle = next handle));` */
static void build_transfer_loop(struct helper *m, LLVMValueRef first, LLVMValueRef first_resume, LLVMBasicBlockRef end)
{
  LLVMBasicBlockRef start = LLVMGetInsertBlock(m->builder), loop = append_transfer_block(m, "loop"),
                    continue_loop = append_transfer_block(m, "continue.loop");
  LLVMTypeRef type = switch_clone_type(m->e->low->context);
  LLVMPositionBuilderBefore(m->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(m->function)));
  LLVMValueRef next_address = LLVMBuildAlloca(m->builder, m->pointer, "next.address");
  LLVMPositionBuilderAtEnd(m->builder, start);
  LLVMValueRef state = emit_transfer_state_address(m);
  LLVMBuildBr(m->builder, loop);
  LLVMPositionBuilderAtEnd(m->builder, loop);
  LLVMValueRef handle = LLVMBuildPhi(m->builder, m->pointer, "handle");
  LLVMValueRef resume = LLVMBuildPhi(m->builder, m->function_pointer, "resume");
  LLVMBuildStore(m->builder, LLVMConstNull(m->pointer), next_address);
  announce_call_of_loop(m, state, next_address, handle, resume);
  LLVMSetInstructionCallConv(LLVMBuildCall2(m->builder, type, resume, &handle, 1, ""), LLVMFastCallConv);
  store_state_word(m, state, WORD_FUNCTION, LLVMConstNull(m->function_pointer));
  LLVMValueRef next = LLVMBuildLoad2(m->builder, m->pointer, next_address, "");
  LLVMBuildCondBr(m->builder, LLVMBuildIsNull(m->builder, next, ""), end, continue_loop);
  LLVMPositionBuilderAtEnd(m->builder, continue_loop);
  LLVMValueRef resumes[2] = {first_resume, load_resume_function_of_handle(m, next)}, handles[2] = {first, next};
  LLVMBuildBr(m->builder, loop);
  LLVMBasicBlockRef blocks[2] = {start, continue_loop};
  LLVMAddIncoming(handle, handles, blocks, 2);
  LLVMAddIncoming(resume, resumes, blocks, 2);
}

/* Builds `void f.transfer(ptr next, ptr next.address)`: if the address is not null, it stores `next` there for the
   loop; otherwise it runs the loop. The noop coroutine needs no transfer. */
static void build_transfer_body(struct helper *m)
{
  LLVMValueRef next = set_name_of_parameter(m, 0, "next"), next_address = set_name_of_parameter(m, 1, "next.address"),
               noop = noop_resume_function_or_null(m);
  LLVMBasicBlockRef not_noop = noop ? append_transfer_block(m, "not.noop") : NULL,
                    pass_to_loop = append_transfer_block(m, "pass.to.loop"),
                    run_loop = append_transfer_block(m, "run.loop");
  LLVMBasicBlockRef end = append_transfer_block(m, "end");
  LLVMValueRef resume = load_resume_function_of_handle(m, next);
  if (noop) {
    LLVMBuildCondBr(m->builder, LLVMBuildICmp(m->builder, LLVMIntEQ, resume, noop, ""), end, not_noop);
    LLVMPositionBuilderAtEnd(m->builder, not_noop);
  }
  LLVMBuildCondBr(m->builder, LLVMBuildIsNull(m->builder, next_address, ""), run_loop, pass_to_loop);
  LLVMPositionBuilderAtEnd(m->builder, pass_to_loop);
  LLVMBuildStore(m->builder, next, next_address);
  LLVMBuildBr(m->builder, end);
  LLVMPositionBuilderAtEnd(m->builder, run_loop);
  build_transfer_loop(m, next, resume, end);
  LLVMPositionBuilderAtEnd(m->builder, end);
  LLVMBuildRetVoid(m->builder);
}

static LLVMValueRef make_transfer_helper(struct emit *e, const char *suffix, LLVMTypeRef type,
                                         void (*fill)(struct helper *m))
{
  LLVMValueRef function = declare_function(e->low, suffix, type);
  edit_copy_attributes(e->low->arena, e->function, function, (unsigned)LLVMAttributeFunctionIndex,
                       declare_attribute_holds_for_helper);
  struct helper m = {.e = e,
                     .function = function,
                     .builder = LLVMCreateBuilderInContext(e->low->context),
                     .pointer = emit_pointer(e),
                     .function_pointer = LLVMTypeOf(e->function)};
  LLVMPositionBuilderAtEnd(m.builder, append_transfer_block(&m, "entry"));
  fill(&m);
  LLVMDisposeBuilder(m.builder);
  return function;
}

/* The address at which the loop that resumed this function reads the next handle, computed once at the entry of
   f.resume. A loop does not call other functions. */
static LLVMValueRef emit_announced_next_address(struct emit *e)
{
  struct switch_data *data = e->hooks->data;
  LLVMTypeRef pointer = emit_pointer(e);
  if (e->clone_kind != CLONE_RESUME)
    return LLVMConstNull(pointer);
  if (!data->next_address) {
    LLVMTypeRef type = LLVMFunctionType(pointer, &pointer, 1, false);
    LLVMValueRef driver = make_transfer_helper(e, "driver", type, build_next_handle_address_body);
    LLVMPositionBuilderBefore(e->aside_builder, e->field_address_position);
    data->next_address = LLVMBuildCall2(e->aside_builder, type, driver, &e->frame, 1, "next.address");
  }
  return data->next_address;
}

/* Drops nounwind: exceptions of the coroutines that the loop resumes now propagate through this function. */
static void drop_nounwind_if_personality(LLVMValueRef function)
{
  if (LLVMHasPersonalityFn(function))
    edit_remove_function_attribute(function, "nounwind");
}

/* Whether a transfer loop can pass the next handle to this clone. */
static bool switch_can_transfer_in_loop(const struct emit *e)
{
  return thread_local_storage_support_of(e->low->module) != THREADS_UNKNOWN;
}

/* Resumes the coroutine `next` after the clone returns. The clone must return directly after the returned call. */
static LLVMValueRef switch_emit_transfer_by_loop(struct emit *e, LLVMValueRef next)
{
  struct switch_data *data = e->hooks->data;
  LLVMTypeRef pointer = emit_pointer(e), types[2] = {pointer, pointer};
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->low->context), types, 2, false);
  LLVMValueRef arguments[2] = {next, emit_announced_next_address(e)};
  drop_nounwind_if_personality(e->function);
  if (!data->transfer)
    data->transfer = make_transfer_helper(e, "transfer", type, build_transfer_body);
  return emit_call(e, data->transfer, arguments, 2);
}

/* ---- Await-suspend ---- */

LLVMValueRef switch_emit_call_of_await_function(struct emit *e, uint32_t inst, LLVMTypeRef result,
                                                LLVMBasicBlockRef normal)
{
  LLVMTypeRef types[2] = {emit_pointer(e), emit_pointer(e)};
  LLVMValueRef arguments[2] = {emit_operand(e, inst, AWAIT_AWAITER), emit_operand(e, inst, AWAIT_COROUTINE)};
  LLVMTypeRef type = LLVMFunctionType(result, types, 2, false);
  struct emit_callee callee = {type, emit_operand(e, inst, AWAIT_FUNCTION), arguments, 2};
  return emit_replace_by_call(e, inst, &callee, normal);
}

static LLVMValueRef emit_call_of_resume_function(struct emit *e, LLVMValueRef handle)
{
  LLVMValueRef subfn = intrin_declare(e->low->table, e->low->module, INTRIN_SUBFN_ADDR, NULL, 0);
  LLVMValueRef arguments[2] = {handle, LLVMConstInt(LLVMInt8TypeInContext(e->low->context), 0, false)};
  struct emit_callee resume = {switch_clone_type(e->low->context), edit_build_call(e->builder, subfn, arguments, 2, ""),
                               &handle, 1};
  LLVMValueRef call = emit_call_as(e, &resume);
  LLVMSetInstructionCallConv(call, LLVMFastCallConv);
  return call;
}

/* Resumes `next` as the clone's last call without using stack: a tail call if the target guarantees one, else
   through the loop of switch_transfer.c. */
static LLVMValueRef emit_tail_call_or_transfer_by_loop(struct emit *e, LLVMValueRef next)
{
  bool is_musttail =
      tailcall_is_guaranteed(e->function) && LLVMGlobalGetValueType(e->function) == switch_clone_type(e->low->context);
  if (!is_musttail && switch_can_transfer_in_loop(e))
    return switch_emit_transfer_by_loop(e, next);
  LLVMValueRef call = emit_call_of_resume_function(e, next);
  LLVMSetTailCallKind(call, is_musttail ? LLVMTailCallKindMustTail : LLVMTailCallKindTail);
  return call;
}

bool switch_lower_await_handle(struct emit *e, uint32_t inst)
{
  bool invoke = e->low->fn.opcode[inst] == LLVMInvoke;
  LLVMBasicBlockRef transfer = invoke ? LLVMAppendBasicBlockInContext(e->low->context, e->function, "transfer") : NULL;
  LLVMValueRef next = switch_emit_call_of_await_function(e, inst, emit_pointer(e), transfer);
  if (invoke)
    LLVMPositionBuilderAtEnd(e->builder, transfer);
  if (e->clone_kind != CLONE_RAMP)
    switch_call_suspend_hook(e, inst, switch_suspend_of_await_or_none(e, inst));
  LLVMValueRef call =
      e->clone_kind == CLONE_RAMP ? emit_call_of_resume_function(e, next) : emit_tail_call_or_transfer_by_loop(e, next);
  LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(e->low->fn.insts[inst]));
  if (e->clone_kind != CLONE_RAMP) {
    emit_clone_return(e, e->builder);
    e->returned = true;
  } else if (invoke)
    emit_branch_to_normal_destination(e, inst, transfer);
  return true;
}
