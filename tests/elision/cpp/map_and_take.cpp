// Map and take over a generator, as templates with callable parameters.
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
int main() {
  auto all = upto(1000);
  auto squares = map(all, [](int x) { return x * x; });
  auto some = take(squares, given(5));
  int sum = 0;
  for (int value : some)
    sum += value;
  say(sum);
}
