// A generator owns the one that it filters, which was moved into its parameter.
#include "generator.h"
static generator<int> odd(generator<int> from) {
  for (int value : from)
    if (value % 2)
      co_yield value;
}
int main() {
  int sum = 0;
  for (int value : odd(upto(given(10))))
    sum += value;
  say(sum);
}
