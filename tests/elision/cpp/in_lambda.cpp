// A coroutine is a lambda with captures.
#include "generator.h"
int main() {
  int factor = given(3);
  auto make = [&](int limit) -> generator<int> {
    for (int i = 0; i < limit; i++)
      co_yield i *factor;
  };
  int sum = 0;
  for (int value : make(given(5)))
    sum += value;
  say(sum);
}
