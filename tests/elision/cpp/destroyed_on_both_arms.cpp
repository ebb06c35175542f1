// Each of two paths destroys it at its own place.
#include "bare.h"
int main() {
  auto handle = count(given(3));
  handle.resume();
  if (given(1)) {
    say(handle.promise().value);
    handle.destroy();
  } else {
    handle.destroy();
    say(0);
  }
}
