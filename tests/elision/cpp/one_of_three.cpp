// A switch assigns one of three coroutines to a variable, which is destroyed at one place.
#include "generator.h"
static generator<int> twice(int value) {
  co_yield value;
  co_yield value;
}
static generator<int> once(int value) { co_yield value; }
int main() {
  generator<int> values;
  switch (given(2)) {
  case 0: values = once(1); break;
  case 1: values = upto(given(4)); break;
  default: values = twice(given(9));
  }
  int sum = 0;
  while (values.next())
    sum += values.value();
  say(sum);
}
