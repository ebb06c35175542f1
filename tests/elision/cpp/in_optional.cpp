// A generator is in an optional.
#include <optional>
#include "generator.h"
int main() {
  std::optional<generator<int>> maybe;
  if (given(1))
    maybe.emplace(upto(given(5)));
  int sum = 0;
  while (maybe && maybe->next())
    sum += maybe->value();
  say(sum);
}
