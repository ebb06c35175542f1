/* Versions, status texts, and freeing of strings.
   Requires: status.def. Guarantees: no side effects. */
#include <stdlib.h>

#include "llvm-c/Core.h"
#include "llvm/Config/llvm-config.h"
#include "llvm_version.h"
#include "pycoro.h"

#if LLVM_VERSION_MAJOR != LLVM_MAJOR
#error "csrc/facts has no tables for this LLVM version: see docs/explanation/llvm.md"
#endif

struct status {
  const char *text;
  int exit;
};

static const struct status statuses[] = {
#define CORO_STATUS(name, value, exit, text) [value] = {text, exit},
#include "status.def"
};

static const struct status unknown = {"unknown status", 3};

static const struct status *table_row_of_status(coro_status status)
{
  return (size_t)status < sizeof statuses / sizeof *statuses ? &statuses[status] : &unknown;
}

const char *coro_version(void)
{
  return CORO_VERSION;
}

/* LLVM reports version numbers; static strings of all releases avoid an allocation. */
#define VERSION(minor, patch) LLVM_MAJOR_TEXT "." minor "." patch
#define VERSIONS(minor)                                                                                                \
  {VERSION(minor, "0"),  VERSION(minor, "1"),  VERSION(minor, "2"),  VERSION(minor, "3"),                              \
   VERSION(minor, "4"),  VERSION(minor, "5"),  VERSION(minor, "6"),  VERSION(minor, "7"),                              \
   VERSION(minor, "8"),  VERSION(minor, "9"),  VERSION(minor, "10"), VERSION(minor, "11"),                             \
   VERSION(minor, "12"), VERSION(minor, "13"), VERSION(minor, "14"), VERSION(minor, "15")}

static const char *const llvm_versions[][16] = {VERSIONS("0"), VERSIONS("1"), VERSIONS("2")};

const char *coro_llvm_version(void)
{
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  if (major != LLVM_MAJOR)
    return "not " LLVM_MAJOR_TEXT;
  return minor < sizeof llvm_versions / sizeof *llvm_versions && patch < 16 ? llvm_versions[minor][patch]
                                                                            : LLVM_MAJOR_TEXT;
}

const char *coro_status_text(coro_status status)
{
  return table_row_of_status(status)->text;
}

int coro_status_exit(coro_status status)
{
  return table_row_of_status(status)->exit;
}

void coro_string_free(char *string)
{
  free(string);
}
