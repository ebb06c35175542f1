// One handle refers to one of two coroutines.
#include "bare.h"
static bare odd(int limit) {
  for (int i = 1; i <= limit; i += 2)
    co_yield i;
}
int main() {
  bare handle = given(1) ? count(given(4)) : odd(given(4));
  int sum = 0;
  for (handle.resume(); !handle.done(); handle.resume())
    sum += handle.promise().value;
  handle.destroy();
  say(sum);
}
