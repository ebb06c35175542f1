// As many as the program asks for are made by a helper and alive at once.
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
