// A break leaves the loop over an infinite generator.
#include "generator.h"
static generator<int> naturals() {
  for (int i = 0;; i++)
    co_yield i;
}
int main() {
  int sum = 0;
  for (int value : naturals()) {
    if (value == given(10))
      break;
    sum += value;
  }
  say(sum);
}
