// It ends at its final suspend and is never destroyed: on the heap it leaks.
#include "bare.h"
int main() {
  auto handle = count(given(2));
  while (!handle.done())
    handle.resume();
  say(handle.promise().value);
}
