// A generator is moved to another variable, which destroys it.
#include "generator.h"
int main() {
  auto first = upto(given(5));
  first.next();
  auto second = std::move(first);
  int sum = 0;
  while (second.next())
    sum += second.value();
  say(sum);
}
