// A helper creates a number of them, known at run time, that are alive at once.
#include "bare.h"
[[gnu::noinline]] static bare make(int limit) { return count(limit); }
int main() {
  bare kept[8];
  int number = given(5), sum = 0;
  for (int i = 0; i < number; i++)
    kept[i] = make(i + 1);
  for (int i = 0; i < number; i++) {
    kept[i].resume();
    sum += kept[i].promise().value;
    kept[i].destroy();
  }
  say(sum);
}
