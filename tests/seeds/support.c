/* External functions of the seed programs, for native builds.
   Requires: @resume of save_apart.ll in that build.
   Guarantees: a line of output for each value. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void print(int x);
void print_float(float x);
void halt(void);
void *CustomAlloc(int size);
void CustomFree(void *mem);
bool cond(void);
void async_op1(void *handle);
void async_op2(void *handle);
void do_one(void);
void do_two(void);
void complete(void);
void resume(void *handle) __attribute__((weak));

static void *pending;
static int asked;

void print(int x)
{
  printf("%d\n", x);
}

void print_float(float x)
{
  printf("%g\n", x);
}

void halt(void)
{
  abort();
}

void *CustomAlloc(int size)
{
  return malloc((size_t)size);
}

void CustomFree(void *mem)
{
  free(mem);
}

bool cond(void)
{
  static const bool answers[] = {true, false, true, true};
  return answers[asked++ % 4];
}

void async_op1(void *handle)
{
  puts("async_op1");
  pending = handle;
}

void async_op2(void *handle)
{
  puts("async_op2");
  pending = handle;
}

void do_one(void)
{
  puts("do_one");
}

void do_two(void)
{
  puts("do_two");
}

void complete(void)
{
  void *handle = pending;
  pending = NULL;
  resume(handle);
}
