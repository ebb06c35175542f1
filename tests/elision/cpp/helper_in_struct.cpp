// A struct with the handle is passed by value to a function that resumes.
#include "bare.h"
struct packed {
  int factor;
  bare handle;
};
[[gnu::noinline]] static int step(packed given) {
  given.handle.resume();
  return given.handle.done() ? 0 : given.handle.promise().value * given.factor;
}
int main() {
  auto handle = count(given(4));
  int sum = 0;
  while (!handle.done())
    sum += step({2, handle});
  handle.destroy();
  say(sum);
}
