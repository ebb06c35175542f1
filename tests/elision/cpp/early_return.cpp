// A return leaves the loop over a generator.
#include "generator.h"
static int first_above(int least) {
  for (int value : upto(100))
    if (value * value > least)
      return value;
  return -1;
}
int main() { say(first_above(given(50))); }
