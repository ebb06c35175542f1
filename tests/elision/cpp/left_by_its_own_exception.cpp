// It throws when it is resumed, the exception leaves the function, and the catcher destroys it.
#include "bare.h"
bare published;
static bare thrower(int value) {
  co_yield value;
  throw value;
}
[[gnu::noinline]] static void start(int value) {
  auto handle = thrower(value);
  published = handle;
  handle.resume();
  say(handle.promise().value);
  handle.resume();
  handle.destroy();
}
int main() {
  try {
    start(given(3));
  } catch (int) {
    say(published.done());
    published.destroy();
  }
}
