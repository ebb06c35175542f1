/* The tables of attributes and metadata kinds equal LLVM's.
   Requires: LLVM-C, csrc/facts. */
#include <string.h>

#include "check.h"
#include "llvm-c/Core.h"
#include "llvm_metadata.h"

static void check_attributes(void)
{
  static const char *const names[] = {
#define LLVM_ATTRIBUTE(name, numbered) name,
#include "llvm_attributes.def"
  };
  unsigned count = sizeof names / sizeof *names;
  CHECK(LLVMGetLastEnumAttributeKind() == count + 1, "LLVM ends at %u, the table at %u", LLVMGetLastEnumAttributeKind(),
        count);
  for (unsigned i = 0; i < count; i++)
    CHECK(LLVMGetEnumAttributeKindForName(names[i], strlen(names[i])) == i + 1, "%s", names[i]);
}

static void check_metadata(void)
{
  static const char *const names[] = {
#define LLVM_METADATA(name) name,
#include "llvm_metadata.def"
  };
  unsigned count = sizeof names / sizeof *names;
  LLVMContextRef context = LLVMContextCreate();
  for (unsigned i = 0; i < count; i++)
    CHECK(LLVMGetMDKindIDInContext(context, names[i], (unsigned)strlen(names[i])) == i, "%s", names[i]);
  CHECK(!strcmp(names[METADATA_DBG], "dbg") && !strcmp(names[METADATA_LOOP], "llvm.loop"), "numbers of metadata.h");
  CHECK(LLVMGetMDKindIDInContext(context, "mine", 4) == count, "LLVM knows more than %u kinds", count);
  LLVMContextDispose(context);
}

int main(void)
{
  check_attributes();
  check_metadata();
  return check_done("test_facts");
}
