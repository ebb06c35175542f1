// An exception from the function unwinds through the owner's destructor.
#include "generator.h"
static generator<int> failing(int limit) {
  for (int i = 0; i < limit; i++)
    co_yield i;
  throw limit;
}
[[gnu::noinline]] static int sum_of(int limit) {
  int sum = 0;
  for (int value : failing(limit))
    sum += value;
  return sum;
}
int main() {
  try {
    say(sum_of(given(4)));
  } catch (int thrown) {
    say(-thrown);
  }
}
