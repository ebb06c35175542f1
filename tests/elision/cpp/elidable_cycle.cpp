// Two tasks await each other.
#define TASK_IS ELIDABLE
#include "task.h"
static task<int> odd(int depth);
static task<int> even(int depth) {
  if (depth == 0)
    co_return 1;
  co_return 2 + co_await odd(depth - 1);
}
static task<int> odd(int depth) {
  if (depth == 0)
    co_return 0;
  co_return 3 * co_await even(depth - 1);
}
int main() { say(run(even(given(6)))); }
