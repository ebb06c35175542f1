// Each iteration of a loop over a generator creates, consumes and destroys another one.
#include "generator.h"
int main() {
  int sum = 0;
  for (int outer : upto(given(5)))
    for (int inner : upto(outer))
      sum += inner;
  say(sum);
}
