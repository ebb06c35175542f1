// The coroutine's ramp is marked noinline.
#include "generator.h"
[[gnu::noinline]] static generator<int> apart(int limit) {
  for (int i = 0; i < limit; i++)
    co_yield i;
}
int main() {
  int sum = 0;
  for (int value : apart(given(5)))
    sum += value;
  say(sum);
}
