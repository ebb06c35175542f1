// Map and take over a generator, as templates with callable parameters.
#include "adapters.h"
int main() {
  auto all = upto(1000);
  auto squares = map(all, [](int x) { return x * x; });
  auto some = take(squares, given(5));
  int sum = 0;
  for (int value : some)
    sum += value;
  say(sum);
}
