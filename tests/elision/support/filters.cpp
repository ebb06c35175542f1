// Loops over filtering generators, each next to the handwritten loop: with short and long bodies,
// with and without a use after the loop, and with a break.
#include "generator.h"

#define EXPORT(name) extern "C" [[gnu::noinline]] unsigned name(int count)

static inline void mix(unsigned &sum, int value) { sum = (sum << 1 | sum >> 31) + unsigned(value); }

static generator<int> odd(generator<int> &from) {
  for (int value : from)
    if (value & 5)
      co_yield value;
}
static generator<int> twice_odd(generator<int> &from) {
  for (int value : from)
    if (value & 5)
      if (value & 18)
        co_yield value;
}

EXPORT(last_of) {
  unsigned sum = 0;
  int last = -1;
  auto all = upto(count);
  for (int value : odd(all)) {
    mix(sum, value);
    last = value;
  }
  return sum ^ unsigned(last);
}
EXPORT(last_of_by_hand) {
  unsigned sum = 0;
  int last = -1;
  for (int i = 0; i < count; i++)
    if (i & 5) {
      mix(sum, i);
      last = i;
    }
  return sum ^ unsigned(last);
}

EXPORT(before_this) {
  unsigned sum = 7, before = 3;
  auto all = upto(count);
  for (int value : odd(all)) {
    unsigned was = sum;
    sum = before + unsigned(value);
    before = was;
  }
  return sum * 31 + before;
}
EXPORT(before_this_by_hand) {
  unsigned sum = 7, before = 3;
  for (int i = 0; i < count; i++)
    if (i & 5) {
      unsigned was = sum;
      sum = before + unsigned(i);
      before = was;
    }
  return sum * 31 + before;
}

EXPORT(left_early) {
  unsigned sum = 0;
  auto all = upto(count);
  for (int value : odd(all)) {
    mix(sum, value);
    if (value > 33 && count < 100)
      break;
  }
  return sum;
}
EXPORT(left_early_by_hand) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    if (i & 5) {
      mix(sum, i);
      if (i > 33 && count < 100)
        break;
    }
  return sum;
}

EXPORT(filter_of_filter) {
  unsigned sum = 0;
  auto all = upto(count);
  auto some = odd(all);
  for (int value : twice_odd(some))
    mix(sum, value);
  return sum;
}
EXPORT(filter_of_filter_by_hand) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    if ((i & 5) && (i & 18))
      mix(sum, i);
  return sum;
}

EXPORT(two_in_a_row) {
  unsigned sum = 0, other = 1;
  auto all = upto(count);
  for (int value : odd(all))
    mix(sum, value);
  auto again = upto(count / 2);
  for (int value : odd(again))
    other = other * 3 + unsigned(value);
  return sum ^ other;
}
EXPORT(two_in_a_row_by_hand) {
  unsigned sum = 0, other = 1;
  for (int i = 0; i < count; i++)
    if (i & 5)
      mix(sum, i);
  for (int i = 0; i < count / 2; i++)
    if (i & 5)
      other = other * 3 + unsigned(i);
  return sum ^ other;
}

EXPORT(much_work) {
  unsigned sum = 0, other = 1;
  auto all = upto(count);
  for (int value : odd(all)) {
    mix(sum, value);
    mix(other, value ^ 3);
    mix(sum, int(other));
  }
  return sum ^ other;
}
EXPORT(much_work_by_hand) {
  unsigned sum = 0, other = 1;
  for (int i = 0; i < count; i++)
    if (i & 5) {
      mix(sum, i);
      mix(other, i ^ 3);
      mix(sum, int(other));
    }
  return sum ^ other;
}
