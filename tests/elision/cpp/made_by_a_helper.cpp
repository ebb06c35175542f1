// A function that is not inlined creates the generator and returns it.
#include "generator.h"
[[gnu::noinline]] static generator<int> make(int limit) { return upto(limit + 1); }
int main() {
  int sum = 0;
  for (int value : make(given(5)))
    sum += value;
  say(sum);
}
