/* Object files and assembly of a module, by LLVM's target machine, in a child process.
   Needs: ir/target, base/child. Leaves: the module as it was. */
#include "jit/object.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/child.h"
#include "base/diag.h"
#include "ir/edit.h"
#include "ir/target.h"
#include "llvm-c/ErrorHandling.h"

enum { SECONDS = 600, UNSET = -1 };
#define MEMORY ((uint64_t)16 << 30)
#define UNKNOWN "is not a recognized" /* what LLVM says on stderr of a processor or a feature, and goes on without */

struct word {
  const char *word;
  int value;
};

static const struct word relocations[] = {
#define LLVM_RELOCATION_MODEL(word, value) {word, value},
#include "facts/codegen.def"
};
static const struct word code_models[] = {
#define LLVM_CODE_MODEL(word, value) {word, value},
#include "facts/codegen.def"
};

struct job {
  LLVMModuleRef module;
  LLVMTargetRef target;
  const char *triple, *cpu, *features;
  int relocation, code_model;
  const coro_emit_options *options;
};

static coro_status wrong(coro_diags *diags, const char *rule, const char *message, const char *hint)
{
  return coro_diags_add(diags, &(coro_diag){.status = CORO_EUSAGE, .rule = rule, .message = message, .hint = hint});
}

/* Nothing given: UNSET. False: there is no such word. */
static bool look_up(const struct word *words, size_t count, const char *given, int *value)
{
  *value = UNSET;
  if (!given || !*given || !strcmp(given, "default"))
    return true;
  for (size_t i = 0; i < count && *value == UNSET; i++)
    if (!strcmp(words[i].word, given))
      *value = words[i].value;
  return *value != UNSET;
}

static coro_status find_target(struct job *job, coro_diags *diags)
{
  char *message = NULL;
  target_registry();
  if (!*job->triple)
    return wrong(diags, "no-target", "the module names no target",
                 "give it a target triple, or name one: \"x86_64-pc-linux-gnu\"");
  bool known = !LLVMGetTargetFromTriple(job->triple, &job->target, &message);
  LLVMDisposeMessage(message);
  if (known && LLVMTargetHasTargetMachine(job->target) && LLVMTargetHasAsmBackend(job->target))
    return CORO_OK;
  struct coro_arena *arena = coro_arena_create();
  const char *said =
      arena ? coro_arena_printf(arena, "this LLVM generates no code for the target \"%.100s\"", job->triple) : NULL;
  coro_status status =
      said ? wrong(diags, "no-target", said, "name a target that this libLLVM was built for") : CORO_ENOMEM;
  coro_arena_free(arena);
  return status;
}

static LLVMTargetMachineRef machine_of(const struct job *job)
{
  LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
  LLVMTargetMachineOptionsSetCPU(options, job->cpu);
  LLVMTargetMachineOptionsSetFeatures(options, job->features);
  LLVMTargetMachineOptionsSetCodeGenOptLevel(options, (LLVMCodeGenOptLevel)job->options->level);
  bool given = job->options->relocation_model && *job->options->relocation_model;
  if (!given && edit_module_flag(job->module, "PIC Level")) /* its frontend has been told that the code may move */
    LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
  if (job->relocation != UNSET)
    LLVMTargetMachineOptionsSetRelocMode(options, (LLVMRelocMode)job->relocation);
  if (job->code_model != UNSET)
    LLVMTargetMachineOptionsSetCodeModel(options, (LLVMCodeModel)job->code_model);
  LLVMTargetMachineRef machine = LLVMCreateTargetMachineWithOptions(job->target, job->triple, options);
  LLVMDisposeTargetMachineOptions(options);
  return machine;
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
  char **said = user;
  if (LLVMGetDiagInfoSeverity(info) == LLVMDSError && !*said)
    *said = LLVMGetDiagInfoDescription(info);
}

/* In the child. The answer begins with 1 where it is what went wrong. */
static void generate(void *user, char **answer, size_t *size)
{
  const struct job *job = user;
  LLVMResetFatalErrorHandler();
  LLVMInitializeAllAsmPrinters();
  LLVMInitializeAllAsmParsers();
  char *said = NULL;
  LLVMContextSetDiagnosticHandler(LLVMGetModuleContext(job->module), on_diagnostic, &said);
  LLVMTargetMachineRef machine = machine_of(job);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetTarget(job->module, job->triple);
  LLVMSetModuleDataLayout(job->module, layout);
  LLVMMemoryBufferRef made = NULL;
  char *message = NULL;
  LLVMCodeGenFileType type = job->options->assembly ? LLVMAssemblyFile : LLVMObjectFile;
  bool failed = LLVMTargetMachineEmitToMemoryBuffer(machine, job->module, type, &message, &made) || said;
  const char *text = said ? said : message ? message : "";
  *size = 1 + (failed ? strlen(text) + 1 : LLVMGetBufferSize(made));
  *answer = malloc(*size);
  if (!*answer)
    abort(); /* in the child */
  **answer = failed;
  memcpy(*answer + 1, failed ? text : LLVMGetBufferStart(made), *size - 1);
}

static coro_status taken(const struct child_result *result, char **out, size_t *size, coro_diags *diags)
{
  if (strstr(result->error_text, UNKNOWN))
    return wrong(diags, "machine", result->error_text, "name a processor and features that the target has");
  if (*result->answer)
    return coro_diags_add(diags, &(coro_diag){.status = CORO_EJIT,
                                              .rule = "code-generator",
                                              .message = result->answer + 1,
                                              .hint = "leave out what LLVM's code generator does not have"});
  *out = malloc(result->size);
  if (!*out)
    return CORO_ENOMEM;
  memcpy(*out, result->answer + 1, result->size - 1);
  *size = result->size - 1;
  return CORO_OK;
}

coro_status jit_emit(LLVMModuleRef module, const coro_emit_options *options, char **out, size_t *size,
                     coro_diags *diags)
{
  struct job job = {.module = module, .options = options};
  job.triple = options->triple && *options->triple ? options->triple : LLVMGetTarget(module);
  job.cpu = options->cpu ? options->cpu : "";
  job.features = options->features ? options->features : "";
  if (options->level > (unsigned)LLVMCodeGenLevelAggressive)
    return wrong(diags, "level", "a level of code generation is 0, 1, 2 or 3", "");
  if (!look_up(relocations, sizeof relocations / sizeof *relocations, options->relocation_model, &job.relocation))
    return wrong(diags, "relocation-model", "there is no such relocation model",
                 "static, pic, dynamic-no-pic, ropi, rwpi or ropi-rwpi");
  if (!look_up(code_models, sizeof code_models / sizeof *code_models, options->code_model, &job.code_model))
    return wrong(diags, "code-model", "there is no such code model", "tiny, small, kernel, medium or large");
  coro_status status = find_target(&job, diags);
  if (status)
    return status;
  struct child_limits limits = {SECONDS, MEMORY};
  struct child_result result;
  child_run(&result, &limits, generate, &job);
  status = child_refuse(
      &result, &limits, "LLVM's code generator",
      &(coro_diag){.status = CORO_EJIT,
                   .rule = "code-generator",
                   .hint = *job.cpu ? "leave out what LLVM's code generator for the target does not have, or "
                                      "name a processor that the target has"
                                    : "leave out what LLVM's code generator for the target does not "
                                      "have"},
      diags);
  if (!status)
    status = taken(&result, out, size, diags);
  free(result.answer);
  return status;
}
