// The caller recurses while its generator is alive, so each call has its own.
#include "generator.h"
static int nested(int depth) {
  int sum = 0;
  for (int value : upto(depth))
    sum += value + nested(value);
  return sum;
}
int main() { say(nested(given(5))); }
