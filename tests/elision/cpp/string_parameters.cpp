// A coroutine has parameters with destructors, and its owner is returned through memory.
#include <string>
#include "generator.h"
static generator<int> sizes(int limit, std::string first, std::string second) {
  for (int i = 0; i < limit; i++)
    co_yield i + int(first.size()) - int(second.size());
}
int main() {
  int sum = 0;
  auto all = sizes(given(5), "first", "second of them");
  while (all.next())
    sum += all.value();
  say(sum);
}
