// An exception leaves the function while the handle is in a global, from which the handler resumes it.
#include "bare.h"
bare published;
[[gnu::noinline]] static void fail(int value) {
  if (value)
    throw value;
}
[[gnu::noinline]] static int start(int limit) {
  auto handle = count(limit);
  published = handle;
  fail(given(limit));
  handle.destroy();
  return 0;
}
int main() {
  try {
    start(3);
  } catch (int thrown) {
    published.resume();
    published.resume();
    say(published.promise().value + thrown);
    published.destroy();
  }
}
