// A task awaits the sum of a pack of tasks, all elidable.
#define TASK_IS ELIDABLE
#include "task.h"
static task<int> leaf(int value) { co_return value + 1; }
template <typename... T> static task<int> sum_all([[clang::coro_await_elidable_argument]] T &&...all) {
  int sum = 0;
  ((sum += co_await all), ...);
  co_return sum;
}
static task<int> root(int value) { co_return co_await sum_all(leaf(value), leaf(value + 1), leaf(value + 2)); }
int main() { say(run(root(given(3)))); }
