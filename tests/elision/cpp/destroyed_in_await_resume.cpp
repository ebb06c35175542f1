// The awaited task is destroyed in await_resume, after its value is read.
#include "task.h"
static task<int> leaf(int value) { co_return value + 1; }
struct once {
  task<int>::handle of;
  bool await_ready() noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> who) noexcept {
    of.promise().then = who;
    return of;
  }
  int await_resume() {
    int value = of.promise().value;
    of.destroy();
    return value;
  }
};
static once take(task<int> from) { return {std::exchange(from.of, {})}; }
static task<int> root(int value) { co_return co_await take(leaf(value)); }
int main() { say(run(root(given(3)))); }
