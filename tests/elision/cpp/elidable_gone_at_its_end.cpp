// The task is elidable, and ends by destroying itself, but must not free an elided frame.
#include "bare.h"
static std::coroutine_handle<> next;
struct [[clang::coro_await_elidable]] brief {
  struct promise_type {
    int *into = nullptr;
    brief get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_value(int value) { *into = value; }
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> of;
  int value = 0;
  bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<>) noexcept {
    of.promise().into = &value;
    next = of;
  }
  int await_resume() noexcept { return value; }
};
struct root_task : std::coroutine_handle<> {
  struct promise_type {
    root_task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
static brief leaf(int value) { co_return value + 1; }
static root_task root(int value) { say(co_await leaf(value)); }
int main() {
  auto handle = root(given(3));
  handle.resume();
  next.resume();
  handle.resume();
  handle.destroy();
}
