// It ends at its final suspend, and nobody destroys it: on the heap it is lost.
#include "bare.h"
int main() {
  auto handle = count(given(2));
  while (!handle.done())
    handle.resume();
  say(handle.promise().value);
}
