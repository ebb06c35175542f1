// A variable is given a second generator, and the first is destroyed.
#include "generator.h"
int main() {
  auto values = upto(given(5));
  values.next(), values.next();
  int sum = values.value();
  values = upto(given(8));
  while (values.next())
    sum += values.value();
  say(sum);
}
