// A function that is not inlined receives the bare handle and destroys it.
#include "bare.h"
[[gnu::noinline]] static void finish(std::coroutine_handle<> handle) { handle.destroy(); }
int main() {
  auto handle = count(given(4));
  int sum = 0;
  for (handle.resume(); !handle.done(); handle.resume())
    sum += handle.promise().value;
  finish(handle);
  say(sum);
}
