// Each iteration creates one while that of the previous iteration is still alive.
#include "generator.h"
int main() {
  generator<int> before = upto(1);
  int sum = 0;
  for (int i = 0, n = given(5); i < n; i++) {
    generator<int> now = upto(i + 2);
    before.next(), now.next();
    sum += before.value() + now.value() + i;
    before = std::move(now);
  }
  say(sum);
}
