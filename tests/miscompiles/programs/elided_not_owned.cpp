// A coroutine that does not stop at its end frees its own frame there; not so where the frame is part of its caller's.
// Prints 42.
#include <coroutine>
#include <cstdio>

static int last;

struct [[clang::coro_await_elidable]] task {
  struct promise_type {
    task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_value(int value) { last = value; }
    void unhandled_exception() noexcept {}
  };
  static std::coroutine_handle<> waiting;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const noexcept { waiting = handle; }
  int await_resume() const noexcept { return last; }
};
std::coroutine_handle<> task::waiting;

struct pause {
  static std::coroutine_handle<> at;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const noexcept { at = handle; }
  void await_resume() const noexcept {}
};
std::coroutine_handle<> pause::at;

static task leaf(int n) {
  co_await pause{};
  co_return n + 1;
}

static task root(int n) { co_return co_await leaf(n) + 1; }

int main() {
  root(40);
  pause::at.resume();     // leaf runs to its end
  task::waiting.resume(); // and so does root
  std::printf("%d\n", last);
}
