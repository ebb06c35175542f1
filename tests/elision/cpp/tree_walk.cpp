// A recursive walk: each inner node creates the generators of its children.
#include "adapters.h"
int main() {
  int sum = 0;
  for (int value : walk(given(3), 1))
    sum += value;
  say(sum);
}
