// A function that is not inlined receives the owner's address and resumes the coroutine.
#include "generator.h"
[[gnu::noinline]] static int next_of(generator<int> &values) { return values.next() ? values.value() : -1; }
int main() {
  auto values = upto(given(5));
  int sum = 0, value;
  while ((value = next_of(values)) >= 0)
    sum += value;
  say(sum);
}
