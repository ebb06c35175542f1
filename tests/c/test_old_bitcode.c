/* Bitcode from LLVM before 3.9, with a record element for each letter of a metadata string: the name of the flag "Debug
   Info Version" cannot be masked there, and must not reach LLVM's reader undetected.
   Requires: the whole library. */
#include <string.h>

#include "check.h"
#include "pycoro.h"

enum { MODULE = 8, CONSTANTS = 11, METADATA = 15, TYPES = 17 }; /* LLVM's block ids */

struct stream {
  unsigned char bytes[4096];
  size_t bits;
  size_t open[4], depth; /* offsets of the lengths of open blocks */
};

static void put(struct stream *s, uint32_t value, unsigned width)
{
  for (unsigned i = 0; i < width; i++, s->bits++)
    s->bytes[s->bits / 8] |= (unsigned char)((value >> i & 1) << s->bits % 8);
}

static void put_vbr(struct stream *s, uint32_t value, unsigned width)
{
  uint32_t more = 1u << (width - 1);
  for (; value >= more; value >>= width - 1)
    put(s, (value & (more - 1)) | more, width);
  put(s, value, width);
}

static void align(struct stream *s)
{
  s->bits = (s->bits + 31) / 32 * 32;
}

static void enter(struct stream *s, uint32_t block)
{
  put(s, 1, s->depth ? 3 : 2);
  put_vbr(s, block, 8);
  put_vbr(s, 3, 4);
  align(s);
  s->open[s->depth++] = s->bits;
  s->bits += 32;
}

static void leave(struct stream *s)
{
  put(s, 0, 3);
  align(s);
  size_t end = s->bits, start = s->open[--s->depth];
  s->bits = start;
  put(s, (uint32_t)((end - start) / 32 - 1), 32);
  s->bits = end;
}

static void record(struct stream *s, uint32_t code, const uint32_t *values, size_t count)
{
  put(s, 3, 3);
  put_vbr(s, code, 6);
  put_vbr(s, (uint32_t)count, 6);
  for (size_t i = 0; i < count; i++)
    put_vbr(s, values[i], 6);
}

static void letters(struct stream *s, uint32_t code, const char *text)
{
  uint32_t values[64];
  size_t count = 0;
  for (; text[count]; count++)
    values[count] = (unsigned char)text[count];
  record(s, code, values, count);
}

#define RECORD(s, code, ...)                                                                                           \
  record(s, code, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* !llvm.module.flags = !{!{i32 2, !"FLAG", i32 3}} and nothing else. */
static size_t write_module(struct stream *s, const char *flag)
{
  memset(s, 0, sizeof *s);
  put(s, 0xdec04342, 32);
  enter(s, MODULE);
  RECORD(s, 1, 1); /* version */
  enter(s, TYPES);
  RECORD(s, 1, 2); /* two types */
  RECORD(s, 7, 32); /* 0: i32 */
  RECORD(s, 16, 0); /* 1: metadata */
  leave(s);
  enter(s, CONSTANTS);
  RECORD(s, 1, 0); /* of type i32 */
  RECORD(s, 4, 4); /* 0: 2, its sign in the lowest bit */
  RECORD(s, 4, 6); /* 1: 3 */
  leave(s);
  enter(s, METADATA);
  RECORD(s, 2, 0, 0); /* !0: i32 2 */
  letters(s, 1, flag); /* !1 */
  RECORD(s, 2, 0, 1); /* !2: i32 3 */
  RECORD(s, 3, 1, 2, 3); /* !3: of !0, !1, !2, each one higher */
  letters(s, 4, "llvm.module.flags");
  RECORD(s, 10, 3);
  leave(s);
  leave(s);
  return s->bits / 8;
}

int main(void)
{
  static struct stream stream;
  coro_diags *diags;
  coro_module *module;
  char *text;
  CHECK(coro_diags_create(&diags) == CORO_OK, "diags");
  size_t size = write_module(&stream, "Some Other Name");
  coro_status status = coro_module_parse(&module, (const char *)stream.bytes, size, "old.bc", diags);
  CHECK(status == CORO_OK, "%s", coro_diags_count(diags) ? coro_diags_get(diags, 0)->message : "");
  if (status == CORO_OK) {
    CHECK(coro_module_print(module, &text) == CORO_OK && strstr(text, "!{i32 2, !\"Some Other Name\", i32 3}"), "%s",
          text);
    coro_string_free(text);
    coro_module_free(module);
  }
  size = write_module(&stream, "Debug Info Version");
  CHECK(coro_module_parse(&module, (const char *)stream.bytes, size, "old.bc", diags) == CORO_EPARSE && !module, "old");
  const coro_diag *diag = coro_diags_get(diags, 0);
  CHECK(coro_diags_count(diags) == 1 && strstr(diag->message, "before 3.9") && *diag->hint, "%s", diag->message);
  coro_diags_free(diags);
  return check_done("test_old_bitcode");
}
