// A generator from another module is returned to its consumer.
#include "generator.h"
generator<int> squares(int limit);
[[gnu::noinline]] static generator<int> some(int limit) {
  auto all = squares(limit);
  all.next();
  return all;
}
int main() {
  int sum = 0;
  for (int value : some(given(4)))
    sum += value;
  say(sum);
}
