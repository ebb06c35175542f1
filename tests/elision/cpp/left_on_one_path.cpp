// One exit of its creator does not destroy it; another function does.
#include "bare.h"
std::coroutine_handle<> left;
[[gnu::noinline]] static int start(int limit, bool keep) {
  auto handle = count(limit);
  handle.resume();
  int value = handle.promise().value;
  if (keep)
    left = handle;
  else
    handle.destroy();
  return value;
}
int main() {
  int sum = start(given(3), false) + start(given(3), true);
  left.resume();
  left.destroy();
  say(sum);
}
