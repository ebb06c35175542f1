// A loop consumes a generator from another module.
#include "generator.h"
generator<int> squares(int limit);
int main() {
  int sum = 0;
  for (int value : squares(given(4)))
    sum += value;
  say(sum);
}
