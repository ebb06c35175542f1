// The handle is stored through a pointer parameter.
#include "bare.h"
[[gnu::noinline]] static void start(bare *into, int limit) { *into = count(limit); }
int main() {
  bare handle;
  start(&handle, given(3));
  handle.resume();
  handle.resume();
  say(handle.promise().value);
  handle.destroy();
}
