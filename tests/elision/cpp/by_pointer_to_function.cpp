// The coroutine is called through a pointer that can only be it.
#include "generator.h"
static generator<int> (*const start)(int) = upto;
int main() {
  int sum = 0;
  for (int value : start(given(5)))
    sum += value;
  say(sum);
}
