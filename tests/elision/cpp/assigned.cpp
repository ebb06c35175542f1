// A second generator is assigned to a variable, which destroys the first.
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
