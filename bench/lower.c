/* Times the lowering of one module by pycoro and by LLVM, in alternating runs of one process, so that the load of the
   machine affects both.
   Requires: libpycoro and LLVM. Usage: lower FILE PASSES ROUNDS WHO...; WHO is pycoro, believed (pycoro without
   verification), llvm, verified (LLVM with the verifier after its passes), opt (LLVM as in opt: with the module's
   target and the verifier after the passes) or none.
   Guarantees: prints a line "WHO NANOSECONDS" for each run, then "rss KILOBYTES", the peak of the process. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "ir/target.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/Transforms/PassBuilder.h"
#include "pycoro.h"

struct text {
  char *data;
  size_t size;
};

static void fail(const char *what, const char *why)
{
  fprintf(stderr, "lower: %s: %s\n", what, why);
  exit(1);
}

static struct text read_file(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) {
    fail(path, "cannot be read");
  }
  long size = ftell(file);
  rewind(file);
  struct text text = {malloc((size_t)size + 1), (size_t)size};
  if (!text.data || fread(text.data, 1, text.size, file) != text.size) {
    fail(path, "cannot be read");
  }
  fclose(file);
  return text;
}

/* Processor time, so that the load of the machine has no influence. */
static double nanoseconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void run_llvm(LLVMModuleRef module, const char *passes, LLVMTargetMachineRef machine)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
  if (error) {
    fail("llvm", LLVMGetErrorMessage(error));
  }
  LLVMDisposePassBuilderOptions(options);
}

static void run_as_opt(LLVMModuleRef module, const char *passes)
{
  LLVMTargetMachineRef machine = target_machine_of_module_or_null(module);
  char *whole = malloc(strlen(passes) + sizeof ",verify");
  if (!whole) {
    fail("opt", "memory ran out");
  }
  sprintf(whole, "%s,verify", passes);
  run_llvm(module, whole, machine);
  free(whole);
  if (machine) {
    LLVMDisposeTargetMachine(machine);
  }
}

/* Runs the passes once on a new module. The time excludes parsing, which verifies the input as opt does, and
   freeing. */
static double run(const char *who, struct text text, const char *passes)
{
  coro_module *module;
  coro_diags *diags;
  if (coro_diags_create(&diags) != CORO_OK ||
      coro_module_parse(&module, text.data, text.size, "bench", diags) != CORO_OK) {
    fail("input", coro_diags_get(diags, 0) ? coro_diags_get(diags, 0)->message : "memory ran out");
  }
  double start = nanoseconds();
  bool believed = strcmp(who, "believed") == 0;
  if (believed || strcmp(who, "pycoro") == 0) {
    coro_options options = CORO_OPTIONS_INIT;
    options.unverified = believed;
    if (coro_run(module, passes, &options, NULL, diags) != CORO_OK) {
      fail("pycoro", coro_diags_get(diags, 0) ? coro_diags_get(diags, 0)->message : "failed");
    }
  } else if (strcmp(who, "llvm") == 0) {
    run_llvm(coro_module_llvm(module), passes, NULL);
  } else if (strcmp(who, "verified") == 0) {
    run_llvm(coro_module_llvm(module), passes, NULL);
    if (LLVMVerifyModule(coro_module_llvm(module), LLVMReturnStatusAction, NULL)) {
      fail("llvm", "its passes have broken the module");
    }
  } else if (strcmp(who, "opt") == 0) {
    run_as_opt(coro_module_llvm(module), passes);
  }
  double taken = nanoseconds() - start;
  coro_module_free(module);
  coro_diags_free(diags);
  return taken;
}

int main(int argc, char **argv)
{
  if (argc < 5) {
    fprintf(stderr, "usage: lower FILE PASSES ROUNDS WHO...\n");
    return 2;
  }
  struct text text = read_file(argv[1]);
  for (int round = 0; round < atoi(argv[3]); ++round) {
    for (int who = 4; who < argc; ++who) {
      printf("%s %.0f\n", argv[who], run(argv[who], text, argv[2]));
      fflush(stdout);
    }
  }
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("rss %ld\n", usage.ru_maxrss);
  free(text.data);
  return 0;
}
