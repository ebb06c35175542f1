// A generator is moved on a run-time condition.
#include "generator.h"
int main() {
  auto first = upto(given(5));
  generator<int> second;
  if (given(1))
    second = std::move(first);
  int sum = 0;
  while (second.of && second.next())
    sum += second.value();
  say(sum);
}
