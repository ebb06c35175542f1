// A recursive walk: each inner node creates the generators of its children.
#include "generator.h"
static generator<int> walk(int depth, int name) {
  co_yield name;
  if (depth == 0)
    co_return;
  for (int value : walk(depth - 1, 2 * name))
    co_yield value;
  for (int value : walk(depth - 1, 2 * name + 1))
    co_yield value;
}
int main() {
  int sum = 0;
  for (int value : walk(given(3), 1))
    sum += value;
  say(sum);
}
