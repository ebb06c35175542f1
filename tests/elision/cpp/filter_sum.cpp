// A loop rotates a sum with the values that a generator filters by their remainder, which is a predictable condition; another
// one with all values.
#include "generator.h"
static generator<int> multiples(generator<int> from, int divisor) {
  while (from.next())
    if (from.value() % divisor == 0)
      co_yield from.value();
}
[[gnu::noinline]] static unsigned total(int limit) {
  unsigned sum = 0;
  for (int value : multiples(upto(limit), 3))
    sum = (sum << 1 | sum >> 31) + unsigned(value);
  return sum;
}
[[gnu::noinline]] static unsigned total_of_all(int limit) {
  unsigned sum = 0;
  for (int value : upto(limit))
    sum = (sum << 1 | sum >> 31) + unsigned(value);
  return sum;
}
int main() {
  say(int(total(given(20))));
  say(int(total_of_all(given(20))));
}
