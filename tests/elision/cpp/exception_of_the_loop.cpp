// The loop body throws, and unwinding destroys the generator.
#include "generator.h"
static void check(int value, int limit) {
  if (value > limit)
    throw value;
}
int main() {
  int sum = 0;
  try {
    for (int value : upto(given(9))) {
      outside();
      check(value, given(4));
      sum += value;
    }
  } catch (int thrown) {
    sum += 100 * thrown;
  }
  say(sum);
}
