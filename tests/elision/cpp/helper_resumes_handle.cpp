// A function that is not inlined receives the handle and resumes the coroutine.
#include "generator.h"
[[gnu::noinline]] static int next_of(generator<int>::handle handle) {
  handle.resume();
  return handle.done() ? -1 : handle.promise().value;
}
int main() {
  auto values = upto(given(5));
  int sum = 0, value;
  while ((value = next_of(values.of)) >= 0)
    sum += value;
  say(sum);
}
