/* Digests against the reference implementation, and reading in a child process, once for each input and reader, or in a
   process that is reused.
   Requires: csrc/base, csrc/ir. */
#include <string.h>
#include <sys/resource.h>

#include "base/digest.h"
#include "check.h"
#include "sandbox/read_sandboxed.h"

/* The reference implementation's digests of the bytes 0, 1, 2... by their number, with the key 0, 1, ... 15. */
static void digests(void)
{
  static const struct {
    size_t size;
    uint64_t digest;
  } expected[] = {{0, 0x726fdb47dd0e0e31u}, {1, 0x74f839c593dc67fdu},  {7, 0xab0200f58b01d137u},
                  {8, 0x93f5f5799a932462u}, {15, 0xa129ca6149be45e5u}, {63, 0x958a324ceb064572u}};
  struct digest_key key = {{0x0706050403020100u, 0x0f0e0d0c0b0a0908u}};
  unsigned char bytes[64];
  for (unsigned i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)i;
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    CHECK(keyed_hash_of_bytes(&key, bytes, expected[i].size) == expected[i].digest, "%zu bytes", expected[i].size);
}

/* True if reading the text starts a child. Checks the status and whether a module is read. */
static bool starts_child(coro_reader *reader, const char *text, const char *name, coro_status status, bool reads)
{
  struct rusage before, after;
  bool has_module = !reads;
  coro_diags *diags = NULL;
  coro_diags_create(&diags);
  getrusage(RUSAGE_CHILDREN, &before);
  CHECK(ir_try_reading_sandboxed(reader, &has_module, text, strlen(text), name, diags) == status, "%s", text);
  CHECK(has_module == reads, "%s", text);
  getrusage(RUSAGE_CHILDREN, &after);
  coro_diags_free(diags);
  return after.ru_minflt != before.ru_minflt;
}

static void children(void)
{
  static const char text[] = "define void @f() {\n  ret void\n}\n", other[] = "define void @g() {\n  ret void\n}\n";
  static const char wrong[] = "define void @f() {\n  ret i32 0\n}\n";
  static const char crash[] = "declare token @llvm.coro.suspend.retcon.token(...)\ndefine void @f() {\n"
                              "  %t = call token (...) @llvm.coro.suspend.retcon.token()\n  ret void\n}\n";
  coro_reader *reader, *other_reader;
  CHECK(!coro_reader_create(&reader) && !coro_reader_create(&other_reader), "two readers");
  CHECK(starts_child(reader, text, "a", CORO_OK, true), "the first time");
  CHECK(!starts_child(reader, text, "a", CORO_OK, true), "the second time");
  CHECK(starts_child(reader, text, "b", CORO_OK, true), "another name");
  CHECK(starts_child(reader, other, "a", CORO_OK, true), "another text");
  CHECK(!starts_child(reader, text, "a", CORO_OK, true), "the third time");
  CHECK(starts_child(reader, wrong, "a", CORO_OK, false), "no module");
  CHECK(!starts_child(reader, wrong, "a", CORO_OK, false), "no module, again");
  CHECK(starts_child(reader, crash, "a", CORO_EPARSE, false), "a crash");
  CHECK(starts_child(reader, crash, "a", CORO_EPARSE, false), "a crash again");
  CHECK(starts_child(other_reader, text, "a", CORO_OK, true), "another reader");
  CHECK(starts_child(NULL, text, "a", CORO_OK, true) && starts_child(NULL, text, "a", CORO_OK, true), "no reader");
  coro_reader_free(reader);
  coro_reader_free(other_reader);
}

/* After a few texts a process reads them; one that crashes it is read again in a child, which has the diagnostics. */
static void processes(void)
{
  static const char *const command[] = {"/proc/self/exe", "--serve", NULL};
  static const char crash[] = "!0 = !DILexicalBlock(scope: !0)\n!named = !{!0}\n"
                              "declare token @llvm.coro.suspend.retcon.token(...)\ndefine void @f() {\n"
                              "  %t = call token (...) @llvm.coro.suspend.retcon.token()\n  ret void\n}\n";
  coro_reader *reader;
  char text[100];
  CHECK(!coro_reader_create(&reader) && !coro_reader_use_process(reader, command), "a reader with a command");
  CHECK(coro_reader_use_process(reader, command) == CORO_EUSAGE, "a second command");
  for (int i = 0; i < 20; i++) {
    snprintf(text, sizeof text, "define void @f%d() {\n  ret void\n}\n", i);
    CHECK(starts_child(reader, text, "a", CORO_OK, true) == (i <= 8), "text %d", i);
    CHECK(!starts_child(reader, text, "a", CORO_OK, true), "text %d again", i);
  }
  CHECK(!starts_child(reader, "nonsense", "a", CORO_OK, false), "no module");
  CHECK(starts_child(reader, crash, "a", CORO_EPARSE, false), "a crash");
  CHECK(starts_child(reader, "declare void @f()\n", "a", CORO_OK, true), "a new process");
  CHECK(!starts_child(reader, "declare void @g()\n", "a", CORO_OK, true), "the new process again");
  coro_reader_free(reader);
}

int main(int count, char **arguments)
{
  if (count > 1 && !strcmp(arguments[1], "--serve")) {
    coro_reader_serve(0);
    return 1;
  }
  digests();
  children();
  processes();
  return check_done("test_read_sandboxed.c");
}
