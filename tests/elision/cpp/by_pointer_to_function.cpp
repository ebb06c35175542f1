// The coroutine is called through a pointer with only one possible target.
#include "generator.h"
static generator<int> (*const start)(int) = upto;
int main() {
  int sum = 0;
  for (int value : start(given(5)))
    sum += value;
  say(sum);
}
