// One path ends the process before it is destroyed.
#include <cstdlib>
#include "bare.h"
int main() {
  auto handle = count(given(3));
  handle.resume();
  if (given(0))
    std::exit(3);
  say(handle.promise().value);
  handle.destroy();
}
