// A task awaits another one that is ready, so there is no transfer.
#include "task.h"
struct ready {
  bool await_ready() noexcept { return true; }
  void await_suspend(std::coroutine_handle<>) noexcept {}
  int await_resume() noexcept { return 4; }
};
static task<int> one(int value) { co_return value + co_await ready{}; }
int main() { say(run(one(given(3)))); }
