// The task is elidable, but rarely awaited.
#define TASK_IS ELIDABLE
#include "task.h"
[[gnu::noinline]] static task<int> leaf(int value) { co_return value + 1; }
[[gnu::noinline]] static task<int> root(int value) {
  if (__builtin_expect(value == 3, 0))
    co_return co_await leaf(value);
  co_return value;
}
int main() { say(run(root(given(3)))); }
