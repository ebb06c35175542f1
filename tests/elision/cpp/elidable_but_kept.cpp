// The task is not awaited where it is created, so its call is not marked.
#define TASK_IS ELIDABLE
#include "task.h"
static task<int> leaf(int value) { co_return value + 1; }
static task<int> root(int value) {
  auto first = leaf(value), second = leaf(value + 1);
  int result = co_await first;
  co_return result * co_await std::move(second);
}
int main() { say(run(root(given(3)))); }
