#include "sequences.h"

static Generator<unsigned> from(unsigned first) {
  for (unsigned n = first;; n++)
    co_yield n;
}

Generator<unsigned> primes() {
  for (unsigned candidate : from(2)) {
    bool divisible = false;
    for (unsigned d = 2; d * d <= candidate && !divisible; d++)
      divisible = candidate % d == 0;
    if (!divisible)
      co_yield candidate;
  }
}

Generator<unsigned> squares() {
  for (unsigned n : from(0))
    co_yield n * n;
}
