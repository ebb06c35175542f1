// A coroutine receives the handle of another one, and destroys it.
#include "bare.h"
static bare ends(bare other) {
  other.resume();
  co_yield other.promise().value;
  other.resume();
  co_yield other.promise().value;
  other.destroy();
}
int main() {
  auto handle = ends(count(given(5)));
  int sum = 0;
  for (handle.resume(); !handle.done(); handle.resume())
    sum = sum * 10 + handle.promise().value;
  handle.destroy();
  say(sum);
}
