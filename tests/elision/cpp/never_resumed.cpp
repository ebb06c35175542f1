// A generator is made and destroyed, and never resumed.
#include "generator.h"
int main() {
  auto values = upto(given(4));
  say(values.of.done());
}
