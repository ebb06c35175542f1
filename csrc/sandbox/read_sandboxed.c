/* Parses a module in a child process first, under limits on processor time and memory. LLVM's reader is
   deterministic, so an input on which it terminated needs no child again: a reader has the digests of such inputs.
   They depend on a random key, so that no input can be made to match another's. */
#define _GNU_SOURCE /* getrandom */
#include "sandbox/read_sandboxed.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/digest.h"
#include "llvm-c/ErrorHandling.h"
#include "sandbox/child_process.h"
#include "sandbox/read.h"
#include "sandbox/reader_process.h"
#include "sandbox/scan.h"

/* LLVM takes about a tenth of a second and 20 MB per megabyte of text. */
enum { SECONDS = 5, BYTES_A_SECOND = 1 << 20, MEMORY = 512 << 20, MEMORY_A_BYTE = 64 };

/* ---- Readers ---- */

enum { REMEMBERED = 4096, READS = 1, KNOWN = 2, FLAGS = READS | KNOWN };

struct coro_reader {
  struct reader_processes processes;
  struct digest_key data_key, name_key; /* random */
  /* Each entry is a digest. Its lowest bits are flags: KNOWN, and READS if the input is a module that verifies. An
     entry is read and written as a whole, so threads need no lock. */
  _Atomic uint64_t remembered[REMEMBERED];
};

coro_status coro_reader_create(coro_reader **out)
{
  if (!out)
    return CORO_EUSAGE;
  coro_reader *reader = calloc(1, sizeof *reader);
  bool fine = reader && getrandom(&reader->data_key, sizeof reader->data_key, 0) == (ssize_t)sizeof reader->data_key &&
              getrandom(&reader->name_key, sizeof reader->name_key, 0) == (ssize_t)sizeof reader->name_key;
  if (!fine) {
    free(reader);
    reader = NULL;
  }
  *out = reader;
  return fine ? CORO_OK : CORO_ENOMEM;
}

void coro_reader_free(coro_reader *reader)
{
  if (reader)
    reader_processes_free(&reader->processes);
  free(reader);
}

coro_status coro_reader_use_process(coro_reader *reader, const char *const *command)
{
  if (!reader || !command || !command[0] || reader->processes.command)
    return CORO_EUSAGE;
  return reader_processes_set_command(&reader->processes, command) ? CORO_OK : CORO_ENOMEM;
}

/* Without flags. */
static uint64_t digest_input(const struct coro_reader *reader, const struct reader_input *in)
{
  const char *name = in->name ? in->name : "";
  uint64_t digest = keyed_hash_of_bytes(&reader->data_key, in->data, in->size) ^
                    keyed_hash_of_bytes(&reader->name_key, name, strlen(name));
  return digest & ~(uint64_t)FLAGS;
}

static _Atomic uint64_t *verdict_cache_entry(struct coro_reader *reader, uint64_t digest)
{
  return &reader->remembered[digest / (FLAGS + 1) % REMEMBERED];
}

static bool is_input_known_to_be_safe(struct coro_reader *reader, uint64_t digest, bool *reads)
{
  uint64_t entry = atomic_load_explicit(verdict_cache_entry(reader, digest), memory_order_relaxed);
  *reads = entry & READS;
  return (entry | READS) == (digest | FLAGS);
}

static void remember_input_as_safe(struct coro_reader *reader, uint64_t digest, bool reads)
{
  atomic_store_explicit(verdict_cache_entry(reader, digest), digest | KNOWN | (reads ? READS : 0),
                        memory_order_relaxed);
}

/* ---- Reading ---- */

/* True if a debug record has an empty value list; LLVM-C reads its first element. */
static bool has_empty_arg_list(char *text)
{
  /* The match may be inside a string. */
  return strstr(text, "!DIArgList()") && ir_scan_text_and_mask_flag(text, strlen(text)).empty_line;
}

/* Also prints and frees the module, because either may crash too. The answer of one byte means that the module
   verifies. */
static void try_read_print_and_free(void *user, char **answer, size_t *size)
{
  const struct reader_input *in = user;
  LLVMResetFatalErrorHandler();
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = NULL;
  if (ir_read(&module, context, in->data, in->size, in->name, NULL) == CORO_OK) {
    char *text = LLVMPrintModuleToString(module); /* printing may fail on a module that was read */
    if (has_empty_arg_list(text))
      abort();
    LLVMDisposeMessage(text);
    LLVMDisposeModule(module);
    *answer = malloc(1);
    *size = *answer != NULL;
    if (*answer)
      **answer = 0;
  }
  LLVMContextDispose(context);
}

void coro_reader_serve(int socket)
{
  reader_process_serve(socket, try_read_print_and_free);
}

coro_status ir_try_reading_sandboxed(coro_reader *reader, bool *reads_and_verifies, const char *data, size_t size,
                                     const char *name, coro_diags *diags)
{
  struct reader_input in = {data, size, name, .may_damage = ir_is_bitcode(data, size)};
  uint64_t digest = reader ? digest_input(reader, &in) : 0;
  if (reader && is_input_known_to_be_safe(reader, digest, reads_and_verifies))
    return CORO_OK;
  struct child_limits limits = {SECONDS + (unsigned)(size / BYTES_A_SECOND), MEMORY + (uint64_t)size * MEMORY_A_BYTE};
  if (reader && reader_processes_run_if_available(&reader->processes, &limits, &in, reads_and_verifies)) {
    remember_input_as_safe(reader, digest, *reads_and_verifies);
    return CORO_OK;
  }
  struct child_result result;
  child_run_work_with_retries(&result, &limits, try_read_print_and_free, &in);
  *reads_and_verifies = result.end == CHILD_DONE && result.size;
  free(result.answer);
  if (result.end == CHILD_DONE && reader)
    remember_input_as_safe(reader, digest, *reads_and_verifies);
  return child_diagnose_failure(
      &result, &limits, "LLVM's reader",
      &(coro_diag){.status = CORO_EPARSE,
                   .rule = "reader",
                   .hint = "the module is probably damaged; write it again with the tool that produced it"},
      diags);
}
