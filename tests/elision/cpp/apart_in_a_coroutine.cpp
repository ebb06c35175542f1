// A generator consumes one from another module.
#include "generator.h"
generator<int> squares(int limit);
static generator<int> even(int limit) {
  for (int value : squares(limit))
    if (value % 2 == 0)
      co_yield value;
}
int main() {
  int sum = 0;
  for (int value : even(given(6)))
    sum += value;
  say(sum);
}
