// The coroutine catches an exception in its body, and continues.
#include "generator.h"
static generator<int> patient(int limit) {
  for (int i = 0; i < limit; i++) {
    int got = i;
    try {
      if (given(i) % 2)
        throw i;
    } catch (int thrown) {
      got = -thrown;
    }
    co_yield got;
  }
}
int main() {
  int sum = 0;
  for (int value : patient(given(6)))
    sum = sum * 3 + value;
  say(sum);
}
