/* The framework of the test programs: counted checks, and reproducible random numbers.
   Requires: nothing.
   Guarantees: a last line `tests/c/NAME: N passed, M failed`, and M in the exit status. */
#ifndef TESTS_C_CHECK_H
#define TESTS_C_CHECK_H

#include <stdint.h>
#include <stdio.h>

static unsigned check_passed, check_failed;

/* Counts a check; a failed one is printed with values that identify the case. */
#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    if (condition) {                                                                                                   \
      check_passed++;                                                                                                  \
    } else if (check_failed++ < 20) {                                                                                  \
      fprintf(stderr, "%s:%d: failed: %s: ", __FILE__, __LINE__, #condition);                                          \
      fprintf(stderr, __VA_ARGS__);                                                                                    \
      fputc('\n', stderr);                                                                                             \
    }                                                                                                                  \
  } while (0)

static inline int check_done(const char *name)
{
  printf("tests/c/%s: %u passed, %u failed\n", name, check_passed, check_failed);
  return check_failed || !check_passed;
}

/* xorshift64*: state is never 0. */
static inline uint64_t check_random(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static inline uint32_t check_below(uint64_t *state, uint32_t limit) /* in [0, limit) */
{
  return (uint32_t)((check_random(state) >> 33) % limit);
}

#endif
