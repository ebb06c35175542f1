// Two generators, created at two places, are alive at once.
#include "generator.h"
int main() {
  auto a = upto(given(5)), b = upto(given(7));
  int sum = 0;
  while (a.next() && b.next())
    sum += a.value() * b.value();
  say(sum);
}
