/* Emits object files and assembly with LLVM's target machine in a child process. */
#include "jit/emit_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ir/edit.h"
#include "ir/target.h"
#include "jit/jit_internal.h"
#include "llvm-c/ErrorHandling.h"
#include "sandbox/child_process.h"

enum { SECONDS = 600, UNSET = -1 };
#define MEMORY ((uint64_t)16 << 30)
/* LLVM prints this to stderr for unknown processors and features, and continues. */
#define UNKNOWN "is not a recognized"

struct option {
  const char *option;
  int value;
};

static const struct option relocations[] = {
#define LLVM_RELOCATION_MODEL(option, value) {option, value},
#include "llvm_codegen.def"
};
static const struct option code_models[] = {
#define LLVM_CODE_MODEL(option, value) {option, value},
#include "llvm_codegen.def"
};

struct job {
  LLVMModuleRef module;
  LLVMTargetRef target;
  const char *triple, *cpu, *features;
  int relocation, code_model;
  const coro_emit_options *options;
};

static coro_status report_emission_usage_error(coro_diags *diags, const char *rule, const char *message,
                                               const char *hint)
{
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EUSAGE, .rule = rule, .message = message, .hint = hint});
}

/* UNSET if nothing is given. False: unknown name. */
static bool read_option_value_unless_unknown(const struct option *words, size_t count, const char *option_text,
                                             int *value)
{
  *value = UNSET;
  if (!option_text || !*option_text || !strcmp(option_text, "default"))
    return true;
  for (size_t i = 0; i < count && *value == UNSET; i++)
    if (!strcmp(words[i].option, option_text))
      *value = words[i].value;
  return *value != UNSET;
}

static coro_status reject_codegen_option(coro_diags *diags, const char *rule, const char *what, const char *given,
                                         const char *hint)
{
  char message[200];
  snprintf(message, sizeof message, "unknown %s \"%.100s\"", what, given);
  return report_emission_usage_error(diags, rule, message, hint);
}

static coro_status find_codegen_target(struct job *job, coro_diags *diags)
{
  char *message = NULL;
  target_registry_initialize_once();
  if (!*job->triple)
    return report_emission_usage_error(
        diags, "no-target", "the module has no target triple",
        "set a target triple in the module before it is lowered, such as \"x86_64-pc-linux-gnu\"; "
        "`pycoro compile -target native` sets that of this machine");
  bool known = !LLVMGetTargetFromTriple(job->triple, &job->target, &message);
  LLVMDisposeMessage(message);
  if (known && LLVMTargetHasTargetMachine(job->target) && LLVMTargetHasAsmBackend(job->target))
    return CORO_OK;
  struct coro_arena *arena = coro_arena_create();
  const char *error =
      arena ? coro_arena_printf(arena, "this LLVM cannot generate code for the target \"%.100s\"", job->triple) : NULL;
  coro_status status =
      error ? report_emission_usage_error(diags, "no-target", error,
                                          "choose a target that this libLLVM was built for; `pycoro compile "
                                          "-target` accepts `native` for this machine")
            : CORO_ENOMEM;
  coro_arena_free(arena);
  return status;
}

/* Whether the module was laid out for the target. Processor and features do not change sizes. */
static coro_status check_types_have_layout_of_target(const struct job *job, coro_diags *diags)
{
  LLVMTargetMachineRef machine = target_machine_of_triple_or_null(job->triple);
  LLVMTargetDataRef layout = machine ? LLVMCreateTargetDataLayout(machine) : NULL;
  char *text = layout ? LLVMCopyStringRepOfTargetData(layout) : NULL;
  coro_status status = text ? jit_check_memory_type_layouts(job->module, text, diags) : CORO_OK;
  LLVMDisposeMessage(text);
  if (layout)
    LLVMDisposeTargetData(layout);
  if (machine)
    LLVMDisposeTargetMachine(machine);
  return status;
}

static LLVMTargetMachineRef create_target_machine(const struct job *job)
{
  LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
  LLVMTargetMachineOptionsSetCPU(options, job->cpu);
  LLVMTargetMachineOptionsSetFeatures(options, job->features);
  LLVMTargetMachineOptionsSetCodeGenOptLevel(options, (LLVMCodeGenOptLevel)job->options->level);
  bool given = job->options->relocation_model && *job->options->relocation_model;
  bool may_move =
      edit_module_flag_value_or_0(job->module, "PIC Level") || strstr(job->triple, "-linux"); /* linked as PIE there */
  if (!given && may_move)
    LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
  if (job->relocation != UNSET)
    LLVMTargetMachineOptionsSetRelocMode(options, (LLVMRelocMode)job->relocation);
  if (job->code_model != UNSET)
    LLVMTargetMachineOptionsSetCodeModel(options, (LLVMCodeModel)job->code_model);
  LLVMTargetMachineRef machine = LLVMCreateTargetMachineWithOptions(job->target, job->triple, options);
  LLVMDisposeTargetMachineOptions(options);
  return machine;
}

static void record_first_codegen_error(LLVMDiagnosticInfoRef info, void *user)
{
  char **error = user;
  if (LLVMGetDiagInfoSeverity(info) == LLVMDSError && !*error)
    *error = LLVMGetDiagInfoDescription(info);
}

/* Runs in the child. The answer starts with 1 if the rest is an error message. */
static void emit_object_in_child(void *user, char **answer, size_t *size)
{
  const struct job *job = user;
  LLVMResetFatalErrorHandler();
  LLVMInitializeAllAsmPrinters();
  LLVMInitializeAllAsmParsers();
  char *error = NULL;
  LLVMContextSetDiagnosticHandler(LLVMGetModuleContext(job->module), record_first_codegen_error, &error);
  LLVMTargetMachineRef machine = create_target_machine(job);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetTarget(job->module, job->triple);
  LLVMSetModuleDataLayout(job->module, layout);
  LLVMMemoryBufferRef made = NULL;
  char *message = NULL;
  LLVMCodeGenFileType type = job->options->assembly ? LLVMAssemblyFile : LLVMObjectFile;
  bool failed = LLVMTargetMachineEmitToMemoryBuffer(machine, job->module, type, &message, &made) || error;
  const char *text = error ? error : message ? message : "";
  *size = 1 + (failed ? strlen(text) + 1 : LLVMGetBufferSize(made));
  *answer = malloc(*size);
  if (!*answer)
    abort(); /* in the child */
  **answer = failed;
  memcpy(*answer + 1, failed ? text : LLVMGetBufferStart(made), *size - 1);
}

static coro_status read_object_from_answer(const struct child_result *result, char **out, size_t *size,
                                           coro_diags *diags)
{
  if (strstr(result->error_text, UNKNOWN))
    return report_emission_usage_error(diags, "machine", result->error_text,
                                       "choose a processor and features that the target has");
  if (*result->answer)
    return coro_diags_add(diags, &(coro_diag){.status = CORO_EJIT,
                                              .rule = "code-generator",
                                              .message = result->answer + 1,
                                              .hint = "remove constructs that LLVM's code generator does not support"});
  *out = malloc(result->size);
  if (!*out)
    return CORO_ENOMEM;
  memcpy(*out, result->answer + 1, result->size - 1);
  *size = result->size - 1;
  return CORO_OK;
}

coro_status jit_emit_object_file(LLVMModuleRef module, bool ran_without_layout, const coro_emit_options *options,
                                 char **out, size_t *size, coro_diags *diags)
{
  struct job job = {.module = module, .options = options};
  job.triple = options->triple && *options->triple ? options->triple : LLVMGetTarget(module);
  job.cpu = options->cpu ? options->cpu : "";
  job.features = options->features ? options->features : "";
  if (options->level > (unsigned)LLVMCodeGenLevelAggressive)
    return report_emission_usage_error(diags, "level", "the code generation level is not 0, 1, 2 or 3",
                                       "set coro_emit_options.level to one of them");
  if (!read_option_value_unless_unknown(relocations, sizeof relocations / sizeof *relocations,
                                        options->relocation_model, &job.relocation))
    return reject_codegen_option(diags, "relocation-model", "relocation model", options->relocation_model,
                                 "use static, pic, dynamic-no-pic, ropi, rwpi or ropi-rwpi");
  if (!read_option_value_unless_unknown(code_models, sizeof code_models / sizeof *code_models, options->code_model,
                                        &job.code_model))
    return reject_codegen_option(diags, "code-model", "code model", options->code_model,
                                 "use tiny, small, kernel, medium or large");
  coro_status status = find_codegen_target(&job, diags);
  if (!status)
    status = jit_check_coroutines_are_lowered(module, diags);
  if (!status && ran_without_layout && !*LLVMGetDataLayoutStr(module))
    status = report_emission_usage_error(
        diags, "layout-before-passes",
        "passes have run on the module without data layout, so sizes and offsets are not those of "
        "a machine",
        "set a target triple in the module before passes run, as `pycoro compile -target native` "
        "and, in Python, Module(ir, host=True) do");
  if (!status)
    status = check_types_have_layout_of_target(&job, diags);
  if (status)
    return status;
  struct child_limits limits = {SECONDS, MEMORY};
  struct child_result result;
  child_run_work_with_retries(&result, &limits, emit_object_in_child, &job);
  status = child_diagnose_failure(
      &result, &limits, "LLVM's code generator",
      &(coro_diag){.status = CORO_EJIT,
                   .rule = "code-generator",
                   .hint = *job.cpu ? "remove constructs that the target's code generator does not support, or "
                                      "choose a processor that supports them"
                                    : "remove constructs that the target's code generator does not "
                                      "support"},
      diags);
  if (!status)
    status = read_object_from_answer(&result, out, size, diags);
  free(result.answer);
  return status;
}
