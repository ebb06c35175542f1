// A generator is created and destroyed, but never resumed.
#include "generator.h"
int main() {
  auto values = upto(given(4));
  say(values.of.done());
}
