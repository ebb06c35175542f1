/* Malformed coroutines: the input is a program of edits to a valid coroutine, each of which inserts a call of a
   coroutine intrinsic or changes control flow. If LLVM's verifier accepts the result, it is lowered or rejected.
   Requires: fuzz.h. */
#include <stdio.h>

#include "fuzz.h"

enum { BLOCKS = 6, MOST = 1 << 15 };

static const char declarations[] =
    "declare token @llvm.coro.id(i32, ptr, ptr, ptr)\ndeclare i1 @llvm.coro.alloc(token)\n"
    "declare ptr @llvm.coro.begin(token, ptr)\ndeclare ptr @llvm.coro.frame()\ndeclare ptr @malloc(i64)\n"
    "declare i8 @llvm.coro.suspend(token, i1)\ndeclare token @llvm.coro.save(ptr)\ndeclare i64 @llvm.coro.size.i64()\n"
    "declare ptr @llvm.coro.free(token, ptr)\ndeclare void @llvm.coro.end(ptr, i1, token)\ndeclare void @free(ptr)\n"
    "declare ptr @llvm.coro.promise(ptr, i32, i1)\ndeclare void @llvm.coro.resume(ptr)\n"
    "declare void @llvm.coro.destroy(ptr)\ndeclare i1 @llvm.coro.done(ptr)\ndeclare ptr @llvm.coro.noop()\n"
    "declare void @use(ptr)\ndeclare i32 @pick()\n";

/* Lines that an edit may insert into a block; %d is the number of the edit. */
static const char *const calls[] = {
    "%%v%d = call i8 @llvm.coro.suspend(token none, i1 false)",
    "%%v%d = call i8 @llvm.coro.suspend(token none, i1 true)",
    "%%v%d = call token @llvm.coro.save(ptr %%h)",
    "call void @llvm.coro.end(ptr %%h, i1 false, token none) ; %d",
    "call void @llvm.coro.end(ptr null, i1 true, token none) ; %d",
    "%%v%d = call ptr @llvm.coro.free(token %%id, ptr %%h)",
    "%%v%d = call ptr @llvm.coro.begin(token %%id, ptr %%m)",
    "%%v%d = call ptr @llvm.coro.frame()",
    "%%v%d = call i64 @llvm.coro.size.i64()",
    "%%v%d = call i1 @llvm.coro.alloc(token %%id)",
    "%%v%d = call ptr @llvm.coro.promise(ptr %%h, i32 4, i1 false)",
    "call void @llvm.coro.resume(ptr %%h) ; %d",
    "call void @llvm.coro.destroy(ptr %%h) ; %d",
    "%%v%d = call i1 @llvm.coro.done(ptr %%h)",
    "%%v%d = call ptr @llvm.coro.noop()",
    "%%v%d = alloca i64",
    "call void @use(ptr %%p) ; %d",
    "store i32 7, ptr %%p ; %d",
    "%%v%d = call token @llvm.coro.id(i32 16, ptr %%p, ptr null, ptr null)",
    "%%v%d = load i32, ptr %%p",
    "%%v%d = call i32 @pick()",
};

struct edits {
  const uint8_t *data;
  size_t size, at;
};

static unsigned take(struct edits *e)
{
  return e->at < e->size ? e->data[e->at++] : 0;
}

/* "label %b3"; block 0 is the entry, which has no predecessors. */
static unsigned target(struct edits *e, unsigned otherwise)
{
  unsigned byte = take(e);
  return byte < 128 ? otherwise : 1 + byte % (BLOCKS - 1);
}

static size_t write_block(char *to, size_t room, unsigned b, struct edits *e, unsigned *number)
{
  size_t length = (size_t)snprintf(to, room, "b%u:\n", b);
  if (b == 0)
    length +=
        (size_t)snprintf(to + length, room - length,
                         "  %%p = alloca i32\n  %%id = call token @llvm.coro.id(i32 0, ptr %%p, ptr null, ptr null)\n"
                         "  %%m = call ptr @malloc(i64 64)\n  %%h = call ptr @llvm.coro.begin(token %%id, ptr %%m)\n");
  for (unsigned count = take(e) % 4; count; count--) {
    length += (size_t)snprintf(to + length, room - length, "  ");
    length +=
        (size_t)snprintf(to + length, room - length, calls[take(e) % (sizeof calls / sizeof *calls)], (int)(*number)++);
    length += (size_t)snprintf(to + length, room - length, "\n");
  }
  unsigned next = b + 1 < BLOCKS - 1 ? b + 1 : BLOCKS - 2;
  switch (b == BLOCKS - 1 ? 3 : take(e) % 4) {
  case 0: return length + (size_t)snprintf(to + length, room - length, "  br label %%b%u\n", target(e, next));
  case 1:
    return length +
           (size_t)snprintf(to + length, room - length,
                            "  %%s%u = call i8 @llvm.coro.suspend(token none, i1 %s)\n  switch i8 %%s%u, label "
                            "%%b%u [\n    i8 0, label %%b%u\n    i8 1, label %%b%u\n  ]\n",
                            b, take(e) < 200 ? "false" : "true", b, target(e, BLOCKS - 1), target(e, next),
                            target(e, BLOCKS - 2));
  case 2:
    return length +
           (size_t)snprintf(to + length, room - length,
                            "  %%c%u = call i32 @pick()\n  %%d%u = trunc i32 %%c%u to i1\n  br i1 %%d%u, label "
                            "%%b%u, label %%b%u\n",
                            b, b, b, b, target(e, next), target(e, BLOCKS - 2));
  default:
    return length + (size_t)snprintf(to + length, room - length, "%s  ret ptr %%h\n",
                                     take(e) < 200 ? "  call void @llvm.coro.end(ptr %h, i1 false, token none)\n" : "");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char open[] = "define ptr @f() presplitcoroutine {\n";
  struct edits edits = {data, size, 0};
  unsigned number = 0;
  coro_module *module = NULL;
  char *text = malloc(MOST);
  fuzz_expect(text != NULL);
  size_t length = (size_t)snprintf(text, MOST, "%s%s", declarations, open);
  for (unsigned b = 0; b < BLOCKS; b++)
    length += write_block(text + length, MOST - length, b, &edits, &number);
  length += (size_t)snprintf(text + length, MOST - length, "}\n");
  if (!coro_module_parse(&module, text, length, "input", NULL))
    fuzz_module(module, (uint8_t)size);
  coro_module_free(module);
  free(text);
  return 0;
}
