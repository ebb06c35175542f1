// A generator creates a task for each value, runs it, and yields its result.
#include "generator.h"
#include "task.h"
static task<int> squared(int value) { co_return value *value; }
static generator<int> squares(int limit) {
  for (int i = 0; i < limit; i++)
    co_yield run(squared(i));
}
int main() {
  int sum = 0;
  for (int value : squares(given(5)))
    sum += value;
  say(sum);
}
