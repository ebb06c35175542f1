// LLVM's test: a task awaits another one without resuming it or using a result.
#include "task.h"
struct ignored {
  task<int> child;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<>) noexcept {}
  int await_resume() noexcept { return 43; }
};
static task<int> inner() { co_return 43; }
static task<int> outer() { co_return co_await ignored{inner()}; }
int main() { say(run(outer())); }
