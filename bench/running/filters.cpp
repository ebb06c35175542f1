// Generators that filter or transform another generator, in the shapes of libraries: the source by value or by reference, and
// the condition as a division, a call, or a captured lambda, with an early exit.
#include "generator.h"
#include "running.h"

static generator<int> by_division(generator<int> from, int divisor) {
  while (from.next())
    if (from.value() % divisor == 0)
      co_yield from.value();
}
COROUTINES(filter_division) {
  unsigned sum = 0;
  for (int value : by_division(upto(count), 3))
    mix(sum, value);
  return sum;
}
BY_HAND(filter_division) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    if (i % 3 == 0)
      mix(sum, i);
  return sum;
}

[[gnu::noinline]] static bool accepts(int value) { return __builtin_popcount(unsigned(value) * 40503u) % 2; }

static generator<int> by_call(generator<int> from) {
  for (int value : from)
    if (accepts(value))
      co_yield value;
}
COROUTINES(filter_call) {
  unsigned sum = 0;
  for (int value : by_call(upto(count)))
    mix(sum, value);
  return sum;
}
BY_HAND(filter_call) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    if (accepts(i))
      mix(sum, i);
  return sum;
}

template <typename F> static generator<int> by_condition(generator<int> from, F accept) {
  for (int value : from)
    if (accept(value))
      co_yield value;
}
COROUTINES(filter_lambda) {
  unsigned sum = 0;
  int least = count / 8, seen = 0;
  for (int value : by_condition(upto(count), [least, &seen](int value) { return seen++, value > least && value & 6; }))
    mix(sum, value);
  return sum + unsigned(seen);
}
BY_HAND(filter_lambda) {
  unsigned sum = 0;
  int least = count / 8, seen = 0;
  for (int i = 0; i < count; i++)
    if (seen++, i > least && i & 6)
      mix(sum, i);
  return sum + unsigned(seen);
}

COROUTINES(filter_early_exit) {
  unsigned sum = 0;
  for (int value : by_division(upto(0x7fffffff), 5)) {
    if (value >= count)
      break;
    mix(sum, value);
  }
  return sum;
}
BY_HAND(filter_early_exit) {
  unsigned sum = 0;
  for (int i = 0; i < 0x7fffffff; i++)
    if (i % 5 == 0) {
      if (i >= count)
        break;
      mix(sum, i);
    }
  return sum;
}

static generator<int> before(generator<int> from, int limit) {
  for (int value : from) {
    if (value >= limit)
      co_return;
    co_yield value;
  }
}
COROUTINES(filter_of_filters) {
  unsigned sum = 0;
  for (int value : before(by_division(by_condition(upto(0x7fffffff), [](int value) { return value & 3; }), 7), count))
    mix(sum, value);
  return sum;
}
BY_HAND(filter_of_filters) {
  unsigned sum = 0;
  for (int i = 0; i < 0x7fffffff; i++)
    if (i & 3 && i % 7 == 0) {
      if (i >= count)
        break;
      mix(sum, i);
    }
  return sum;
}

static generator<int> both(generator<int> first, generator<int> second) {
  while (first.next() && second.next()) {
    co_yield first.value();
    co_yield second.value();
  }
}
COROUTINES(interleaved) {
  unsigned sum = 0;
  for (int value : both(upto(count / 2), by_division(upto(0x7fffffff), 2)))
    mix(sum, value);
  return sum;
}
BY_HAND(interleaved) {
  unsigned sum = 0;
  for (int i = 0, j = 0; i < count / 2; i++, j += 2) {
    mix(sum, i);
    mix(sum, j);
  }
  return sum;
}
