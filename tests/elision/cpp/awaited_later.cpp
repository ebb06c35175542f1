// A task is created, lives across an await of another one, and is awaited later.
#include "task.h"
static task<int> leaf(int value) { co_return value + 1; }
static task<int> both(int value) {
  auto first = leaf(value), second = leaf(2 * value);
  int b = co_await second;
  co_return b * co_await first;
}
int main() { say(run(both(given(3)))); }
