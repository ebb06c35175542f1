/* Symbols of later versions of glibc that LLVM's archives and libstdc++ reference, defined by means of glibc 2.28's, so
   that a wheel loads there. Only builds with PYCORO_OLD_GLIBC contain this file. A symbol that is missing here has no
   version in `readelf -W --dyn-syms`, and tests/wheel/test_wheel.py names it; one that is missing from the last part
   makes auditwheel choose a later manylinux tag.
   Requires: the headers of glibc 2.33 or later; x86-64 or AArch64.
   Guarantees: the definitions are hidden, so no other library of the process uses them. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* 2.32: nonzero while the process has a single thread, which lets std::shared_ptr omit atomic operations. */
extern char __libc_single_threaded;
char __libc_single_threaded = 0;

/* 2.36. LLVM chooses names of temporary files with it. The function cannot fail, but getrandom can: before Linux 3.17,
   and in sandboxes. */
uint32_t arc4random(void)
{
  uint32_t value;
  if (getrandom(&value, sizeof value, 0) == (ssize_t)sizeof value)
    return value;
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint32_t)now.tv_nsec * 2654435761u ^ (uint32_t)getpid();
}

/* 2.33. LLVM prints the memory in use with it. The members of struct mallinfo are int, so they wrap at 4 GiB. */
struct mallinfo first_mallinfo(void) __asm__("mallinfo"); /* deprecated by name */

struct mallinfo2 mallinfo2(void)
{
  struct mallinfo old = first_mallinfo();
  return (struct mallinfo2){
      .arena = (unsigned)old.arena,
      .ordblks = (unsigned)old.ordblks,
      .smblks = (unsigned)old.smblks,
      .hblks = (unsigned)old.hblks,
      .hblkhd = (unsigned)old.hblkhd,
      .usmblks = (unsigned)old.usmblks,
      .fsmblks = (unsigned)old.fsmblks,
      .uordblks = (unsigned)old.uordblks,
      .fordblks = (unsigned)old.fordblks,
      .keepcost = (unsigned)old.keepcost,
  };
}

/* 2.29: versions of these functions that set errno themselves. The first versions compute the same values. */
#ifdef __x86_64__
#define FIRST_VERSION "GLIBC_2.2.5"
#else
#define FIRST_VERSION "GLIBC_2.17"
#endif
#define FIRST(name) __asm__(".symver first_" #name ", " #name "@" FIRST_VERSION)
#define UNARY(name)                                                                                                    \
  double name(double), first_##name(double);                                                                           \
  FIRST(name);                                                                                                         \
  double name(double x)                                                                                                \
  {                                                                                                                    \
    return first_##name(x);                                                                                            \
  }

UNARY(exp)
UNARY(log)
UNARY(log2)

double pow(double, double), first_pow(double, double);
FIRST(pow);
double pow(double x, double y)
{
  return first_pow(x, y);
}
