// Its creator stores it to a global, and another function destroys it later.
#include "bare.h"
bare published;
[[gnu::noinline]] static void start(int limit) { published = count(limit); }
[[gnu::noinline]] static int finish() {
  published.resume();
  int value = published.promise().value;
  published.destroy();
  return value;
}
int main() {
  start(given(3));
  say(finish());
}
