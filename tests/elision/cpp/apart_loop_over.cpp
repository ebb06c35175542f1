// A generator of another module is looped over.
#include "generator.h"
generator<int> squares(int limit);
int main() {
  int sum = 0;
  for (int value : squares(given(4)))
    sum += value;
  say(sum);
}
