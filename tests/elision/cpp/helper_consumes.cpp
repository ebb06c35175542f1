// A function that is not inlined receives the owner and destroys it.
#include "generator.h"
[[gnu::noinline]] static int sum_of(generator<int> values) {
  int sum = 0;
  while (values.next())
    sum += values.value();
  return sum;
}
int main() { say(sum_of(upto(given(5)))); }
