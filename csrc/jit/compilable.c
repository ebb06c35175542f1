/* Checks that LLVM's code generator, which aborts on some input, can compile a module.
   Requires: an engine. Guarantees: the module does not change. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/starts_with.h"
#include "ir/edit.h"
#include "ir/text.h"
#include "jit/jit_internal.h"
#include "llvm-c/Analysis.h"

static coro_status check_module_verifies(LLVMModuleRef module, coro_diags *diags)
{
  char *text = NULL;
  bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &text);
  if (broken)
    coro_diags_add(diags, &(coro_diag){.status = CORO_EVERIFY,
                                       .rule = "verifier",
                                       .message = text,
                                       .hint = "only modules that LLVM's verifier accepts can be compiled"});
  LLVMDisposeMessage(text);
  return broken ? CORO_EVERIFY : CORO_OK;
}

/* Fills in function, block and text of an instruction as far as known. */
static void fill_in_location(LLVMValueRef instruction, struct coro_arena *arena, coro_diag *diag)
{
  struct ir_fn fn;
  struct ir_text text;
  LLVMValueRef function = edit_function_of(instruction);
  diag->function = edit_value_name(function);
  if (!arena || !ir_number_function(&fn, arena, function) || !ir_text_split_printed_function(&text, arena, &fn, NULL))
    return;
  uint32_t inst = ir_inst(&fn, instruction); /* not numbered in unreachable blocks */
  if (inst == IR_NONE)
    return;
  diag->instruction = text.inst[inst];
  diag->block = text.block[fn.inst_block[inst]];
}

static coro_status reject_used_intrinsic(LLVMValueRef intrinsic, coro_diags *diags)
{
  LLVMValueRef user = LLVMGetUser(LLVMGetFirstUse(intrinsic));
  struct coro_arena *arena = coro_arena_create();
  char message[160];
  snprintf(message, sizeof message, "the module still contains a call of %s", edit_value_name(intrinsic));
  coro_diag diag = {.status = CORO_EREJECTED,
                    .rule = "lowered-before-compiled",
                    .message = message,
                    .hint = "run the passes coro-early, coro-split and coro-cleanup first; a pipeline such as "
                            "default<O2> contains them"};
  if (LLVMIsAInstruction(user))
    fill_in_location(user, arena, &diag);
  coro_diags_add(diags, &diag);
  coro_arena_free(arena);
  return CORO_EREJECTED;
}

/* Reports only the first call; a module usually has many. */
coro_status jit_check_coroutines_are_lowered(LLVMModuleRef module, coro_diags *diags)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (LLVMGetFirstUse(f) && coro_starts_with(edit_value_name(f), "llvm.coro."))
      return reject_used_intrinsic(f, diags);
  return CORO_OK;
}

static coro_status reject_target_of_module(const char *what, const char *wanted, const char *ours, coro_diags *diags)
{
  char message[600];
  snprintf(message, sizeof message, "the module is for %s \"%.240s\", but this process runs on \"%.240s\"", what,
           wanted, ours);
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EJIT,
                                            .rule = "same-machine",
                                            .message = message,
                                            .hint = "set this machine's triple and data layout before the module "
                                                    "is lowered, as Module(ir, host=True) does in Python"});
}

/* A module without a triple is assumed to be for this machine. */
static coro_status check_architecture_and_data_layout(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  const char *triple = LLVMGetTarget(module), *our_triple = LLVMOrcLLJITGetTripleString(jit->lljit);
  const char *layout = LLVMGetDataLayoutStr(module), *our_layout = LLVMOrcLLJITGetDataLayoutStr(jit->lljit);
  size_t arch = strcspn(triple, "-");
  if (*triple && (arch != strcspn(our_triple, "-") || strncmp(triple, our_triple, arch)))
    return reject_target_of_module("target", triple, our_triple, diags);
  if (*layout && strcmp(layout, our_layout))
    return reject_target_of_module("data layout", layout, our_layout, diags);
  return CORO_OK;
}

/* The code generator aborts on intrinsics of other targets. */
static coro_status check_no_intrinsic_of_other_target(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  static const struct {
    const char *prefix, *arch;
  } machines[] = {
#define LLVM_INTRINSICS_OF(prefix, arch) {prefix, arch},
#include "llvm_targets.def"
  };
  const char *triple = LLVMOrcLLJITGetTripleString(jit->lljit);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    const char *name = edit_value_name(f);
    for (size_t i = 0; LLVMGetIntrinsicID(f) && LLVMGetFirstUse(f) && i < sizeof machines / sizeof *machines; i++)
      if (coro_starts_with(name, machines[i].prefix) && !coro_starts_with(triple, machines[i].arch))
        return reject_target_of_module("the target with the intrinsic", name, triple, diags);
  }
  return CORO_OK;
}

/* The code generator aborts on unknown operand bundles. */
static bool is_bundle_supported_by_codegen(LLVMOperandBundleRef bundle, bool invoke)
{
  static const struct {
    const char *tag;
    bool call, invoke;
  } known[] = {
#define LLVM_BUNDLE(tag, on_call, on_invoke) {tag, on_call, on_invoke},
#include "llvm_calls.def"
  };
  size_t length;
  const char *tag = LLVMGetOperandBundleTag(bundle, &length);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (length == strlen(known[i].tag) && !memcmp(tag, known[i].tag, length))
      return invoke ? known[i].invoke : known[i].call;
  return false;
}

static coro_status check_operand_bundles_of_call(LLVMValueRef call, coro_diags *diags)
{
  unsigned count = LLVMGetNumOperandBundles(call);
  if (!count || LLVMGetIntrinsicID(LLVMGetCalledValue(call))) /* intrinsics have their own bundles */
    return CORO_OK;
  bool supported = true;
  for (unsigned i = 0; i < count; i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, i);
    supported = supported && is_bundle_supported_by_codegen(bundle, LLVMGetInstructionOpcode(call) == LLVMInvoke);
    LLVMDisposeOperandBundle(bundle);
  }
  if (supported)
    return CORO_OK;
  struct coro_arena *arena = coro_arena_create();
  coro_diag diag = {.status = CORO_EJIT,
                    .rule = "known-bundles",
                    .message = "LLVM's code generator does not support an operand bundle of this call",
                    .hint = "run the passes that use the bundle, or remove it"};
  fill_in_location(call, arena, &diag);
  coro_diags_add(diags, &diag);
  coro_arena_free(arena);
  return CORO_EJIT;
}

static coro_status check_operand_bundles(LLVMModuleRef module, coro_diags *diags)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
        coro_status status = edit_is_call(i) ? check_operand_bundles_of_call(i, diags) : CORO_OK;
        if (status)
          return status;
      }
  return CORO_OK;
}

static coro_status check_thread_local_support(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
    char message[300];
    if (!LLVMIsThreadLocal(g) || !LLVMGetFirstUse(g) || jit_can_emulate_tls(jit, g))
      continue;
    snprintf(message, sizeof message, "the variable @%.200s is thread-local", edit_value_name(g));
    return coro_diags_add(
        diags, &(coro_diag){.status = CORO_EJIT,
                            .rule = "no-thread-local",
                            .message = message,
                            .hint = "make it an ordinary global, or compile the module to a native program"});
  }
  return CORO_OK;
}

coro_status jit_check_compilable(struct jit *jit, LLVMModuleRef module, coro_diags *diags)
{
  coro_status status = check_module_verifies(module, diags);
  if (!status)
    status = jit_check_coroutines_are_lowered(module, diags);
  if (!status)
    status = check_architecture_and_data_layout(jit, module, diags);
  if (!status)
    status = check_no_intrinsic_of_other_target(jit, module, diags);
  if (!status)
    status = check_operand_bundles(module, diags);
  return status ? status : check_thread_local_support(jit, module, diags);
}
