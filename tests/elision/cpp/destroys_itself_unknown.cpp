// An unknown coroutine that destroys itself while it is suspended.
#include "outside.h"
#include <coroutine>
#include <exception>
struct detached {
  struct promise_type {
    detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
static std::coroutine_handle<> waiting;
struct wait {
  bool ends;
  bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> who) noexcept {
    if (ends)
      who.destroy();
    else
      waiting = who;
  }
  void await_resume() noexcept {}
};
static detached work(int value);
static detached (*volatile unknown)(int) = work;
static detached work(int value) {
  co_await wait{false};
  say(value);
  co_await wait{true};
  say(value + 1);
}
int main() {
  for (int i = 1; i < 4; i++) {
    unknown(i);
    waiting.resume();
  }
}
