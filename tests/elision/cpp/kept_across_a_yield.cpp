// A child that is created before a yield is resumed after it.
#include "generator.h"
static generator<int> pairs(int limit) {
  auto child = upto(limit);
  co_yield -1;
  while (child.next())
    co_yield child.value();
}
int main() {
  int sum = 0;
  for (int value : pairs(given(5)))
    sum += value;
  say(sum);
}
