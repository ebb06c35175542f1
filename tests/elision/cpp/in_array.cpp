// Two generators are in an array on the stack.
#include "generator.h"
int main() {
  generator<int> both[2] = {upto(given(4)), upto(given(5))};
  int sum = 0;
  for (auto &values : both)
    while (values.next())
      sum += values.value();
  say(sum);
}
