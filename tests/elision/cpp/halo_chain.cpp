// Four generators, each over a reference to the previous one.
#include "generator.h"
static generator<int> naturals() {
  for (int i = 0;; i++)
    co_yield i;
}
static generator<int> until(generator<int> &from, int limit) {
  for (int value : from)
    if (value < limit)
      co_yield value;
    else
      break;
}
static generator<int> times(generator<int> &from, int factor) {
  for (int value : from)
    co_yield value *factor;
}
static generator<int> plus(generator<int> &from, int summand) {
  for (int value : from)
    co_yield value + summand;
}
int main() {
  auto all = naturals();
  auto some = until(all, 10);
  auto doubled = times(some, 2);
  auto moved = plus(doubled, 110);
  int sum = 0;
  for (int value : moved)
    sum += value;
  say(sum);
}
