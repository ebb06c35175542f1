// The owner is a static variable of a function that is called again.
#include "generator.h"
[[gnu::noinline]] static int next() {
  static generator<int> values = upto(given(5));
  values.next();
  return values.value();
}
int main() {
  int sum = 0;
  for (int i = 0; i < 4; i++)
    sum = sum * 10 + next();
  say(sum);
}
