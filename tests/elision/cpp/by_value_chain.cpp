// Four generators, each of which owns the previous one as a parameter.
#include "generator.h"
static generator<int> until(generator<int> from, int limit) {
  for (int value : from) {
    if (value >= limit)
      co_return;
    co_yield value;
  }
}
static generator<int> divisible(generator<int> from, int divisor) {
  while (from.next())
    if (from.value() % divisor == 0)
      co_yield from.value();
}
template <typename F> static generator<int> only(generator<int> from, F accept) {
  for (int value : from)
    if (accept(value))
      co_yield value;
}
int main() {
  int sum = 0;
  for (int value : until(divisible(only(upto(1000000), [](int value) { return value & 3; }), 7), 100))
    sum += value;
  say(sum);
}
