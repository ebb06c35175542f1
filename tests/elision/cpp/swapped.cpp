// Two owners swap their generators.
#include "generator.h"
int main() {
  auto a = upto(given(3)), b = upto(given(6));
  std::swap(a, b);
  int sum = 0;
  while (a.next())
    sum += a.value();
  while (b.next())
    sum += 100 * b.value();
  say(sum);
}
