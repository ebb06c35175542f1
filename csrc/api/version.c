/* Versions, status texts, and the freeing of strings.
   Needs: status.def. Leaves: nothing. */
#include <stdlib.h>

#include "llvm-c/Core.h"
#include "pycoro.h"

struct status {
  const char *text;
  int exit;
};

static const struct status statuses[] = {
#define CORO_STATUS(name, value, exit, text) [value] = {text, exit},
#include "status.def"
};

static const struct status unknown = {"unknown status", 3};

static const struct status *find(coro_status status)
{
  return (size_t)status < sizeof statuses / sizeof *statuses ? &statuses[status] : &unknown;
}

const char *coro_version(void)
{
  return CORO_VERSION;
}

/* LLVM tells numbers, the caller wants a text that needs no freeing: so all of LLVM 22's are spelled out. */
#define VERSIONS(minor)                                                                                                \
  {"22." minor ".0",  "22." minor ".1",  "22." minor ".2",  "22." minor ".3", "22." minor ".4",  "22." minor ".5",     \
   "22." minor ".6",  "22." minor ".7",  "22." minor ".8",  "22." minor ".9", "22." minor ".10", "22." minor ".11",    \
   "22." minor ".12", "22." minor ".13", "22." minor ".14", "22." minor ".15"}

static const char *const llvm_versions[][16] = {VERSIONS("0"), VERSIONS("1"), VERSIONS("2")};

const char *coro_llvm_version(void)
{
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  if (major != 22)
    return "not 22";
  return minor < sizeof llvm_versions / sizeof *llvm_versions && patch < 16 ? llvm_versions[minor][patch] : "22";
}

const char *coro_status_text(coro_status status)
{
  return find(status)->text;
}

int coro_status_exit(coro_status status)
{
  return find(status)->exit;
}

void coro_string_free(char *string)
{
  free(string);
}
