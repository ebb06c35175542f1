// A later call of the same function destroys the coroutine from an earlier call.
#include "bare.h"
static bare before;
[[gnu::noinline]] static int replace(int limit) {
  int value = before ? before.promise().value : 0;
  if (before)
    before.destroy();
  before = count(limit);
  before.resume();
  before.resume();
  return value;
}
int main() {
  int sum = 0;
  for (int i = 2; i < given(6); i++)
    sum += replace(i);
  before.destroy();
  say(sum);
}
