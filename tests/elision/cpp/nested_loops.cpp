// A generator is made, looped over and destroyed in each round of a loop over another.
#include "generator.h"
int main() {
  int sum = 0;
  for (int outer : upto(given(5)))
    for (int inner : upto(outer))
      sum += inner;
  say(sum);
}
