// Generators over other generators, for units that only differ in what drives them.
#pragma once
#include "generator.h"

template <typename F> static generator<int> map(generator<int> &from, F by) {
  for (int value : from)
    co_yield by(value);
}
static generator<int> take(generator<int> &from, int count) {
  for (int value : from) {
    if (count-- == 0)
      break;
    co_yield value;
  }
}

static generator<int> walk(int depth, int name) {
  co_yield name;
  if (depth == 0)
    co_return;
  for (int value : walk(depth - 1, 2 * name))
    co_yield value;
  for (int value : walk(depth - 1, 2 * name + 1))
    co_yield value;
}
