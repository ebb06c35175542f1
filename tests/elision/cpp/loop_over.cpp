// A loop consumes a generator to its end.
#include "generator.h"
int main() {
  int sum = 0;
  for (int value : upto(given(10)))
    sum += value;
  say(sum);
}
