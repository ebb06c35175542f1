/* Compiles a module in a child process, because LLVM's code generator may crash. The child returns an object file, so
   that compilation happens once; linking happens in both, as linkers may abort too.
   Requires: sandbox/child_process.h, a checked module. Guarantees: the engine and the module do not change. */
#include <stdlib.h>
#include <string.h>

#include "jit/jit_internal.h"
#include "llvm-c/ErrorHandling.h"
#include "sandbox/child_process.h"

/* LLVM takes some hundredths of a second and some MiB per thousand instructions. */
enum { SECONDS = 5, INSTRUCTIONS_A_SECOND = 1000, MEMORY = 512 << 20, MEMORY_AN_INSTRUCTION = 16 << 10 };

struct job {
  struct jit *jit;
  LLVMModuleRef module;
  const struct jit_plan *plan;
  struct jit_unit *unit;
  struct answer {
    char *bytes; /* a status byte, then the object, or for each diagnostic its rule, message and hint */
    size_t size;
  } answer;
};

static void append_to_child_answer_or_abort(struct answer *answer, const void *data, size_t size)
{
  char *more = realloc(answer->bytes, answer->size + size);
  if (!more)
    abort(); /* in the child */
  memcpy(more + answer->size, data, size);
  answer->bytes = more;
  answer->size += size;
}

static LLVMErrorRef append_object_to_answer(void *job, LLVMMemoryBufferRef *object)
{
  append_to_child_answer_or_abort(&((struct job *)job)->answer, LLVMGetBufferStart(*object),
                                  LLVMGetBufferSize(*object));
  return LLVMErrorSuccess;
}

/* Runs in the child. */
static void compile_in_child(void *user, char **bytes, size_t *size)
{
  struct job *job = user;
  coro_diags *diags = NULL;
  LLVMResetFatalErrorHandler();
  if (coro_diags_create(&diags) != CORO_OK)
    abort();
  LLVMOrcObjectTransformLayerSetTransform(LLVMOrcLLJITGetObjTransformLayer(job->jit->lljit), append_object_to_answer,
                                          job);
  jit_record_context_errors(job->jit, LLVMGetModuleContext(job->module));
  append_to_child_answer_or_abort(&job->answer, "", 1);
  char status = (char)jit_compile(job->jit, job->module, job->plan, job->unit, diags);
  if (status) {
    job->answer.size = 0;
    append_to_child_answer_or_abort(&job->answer, &status, 1);
    for (size_t i = 0; i < coro_diags_count(diags); i++) {
      const coro_diag *diag = coro_diags_get(diags, i);
      append_to_child_answer_or_abort(&job->answer, diag->rule, strlen(diag->rule) + 1);
      append_to_child_answer_or_abort(&job->answer, diag->message, strlen(diag->message) + 1);
      append_to_child_answer_or_abort(&job->answer, diag->hint, strlen(diag->hint) + 1);
    }
  }
  *bytes = job->answer.bytes;
  *size = job->answer.size;
}

static uint64_t count_instructions(LLVMModuleRef module)
{
  uint64_t count = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        count++;
  return count;
}

static coro_status report_child_diagnostics(const struct child_result *result, coro_diags *diags)
{
  coro_status status = (coro_status)*result->answer;
  for (const char *rule = result->answer + 1, *end = result->answer + result->size; rule < end;) {
    const char *message = rule + strlen(rule) + 1, *hint = message + strlen(message) + 1;
    coro_diags_add(diags, &(coro_diag){.status = status, .rule = rule, .message = message, .hint = hint});
    rule = hint + strlen(hint) + 1;
  }
  return status;
}

coro_status jit_compile_in_child(struct jit *jit, LLVMModuleRef module, const struct jit_plan *plan,
                                 struct jit_unit *unit, LLVMMemoryBufferRef *object, coro_diags *diags)
{
  uint64_t count = count_instructions(module);
  struct child_limits limits = {SECONDS + (unsigned)(count / INSTRUCTIONS_A_SECOND),
                                (uint64_t)MEMORY + count * MEMORY_AN_INSTRUCTION};
  struct job job = {.jit = jit, .module = module, .plan = plan, .unit = unit};
  struct child_result result;
  child_run_work_with_retries(&result, &limits, compile_in_child, &job);
  coro_status status = child_diagnose_failure(
      &result, &limits, "LLVM's code generator",
      &(coro_diag){.status = CORO_EJIT,
                   .rule = "code-generator",
                   .hint = "remove constructs that this machine, or LLVM's code generator for it, "
                           "does not support"},
      diags);
  if (!status && *result.answer)
    status = report_child_diagnostics(&result, diags);
  if (!status)
    *object = LLVMCreateMemoryBufferWithMemoryRangeCopy(result.answer + 1, result.size - 1, plan->init);
  free(result.answer);
  return status;
}
