// A generator filters one that it creates itself and that lives across its yields.
#include "generator.h"
static generator<int> odd(int limit) {
  for (int value : upto(limit))
    if (value % 2)
      co_yield value;
}
int main() {
  int sum = 0;
  for (int value : odd(given(10)))
    sum += value;
  say(sum);
}
