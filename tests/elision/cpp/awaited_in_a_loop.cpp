// A task awaits a new one in each iteration.
#include "task.h"
static task<int> leaf(int value) { co_return value *value; }
static task<int> total(int count) {
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum += co_await leaf(i);
  co_return sum;
}
int main() { say(run(total(given(6)))); }
