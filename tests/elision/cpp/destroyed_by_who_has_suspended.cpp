// A suspended coroutine destroys its child, and a destructor in the child resumes the parent, which runs to its end.
#include "bare.h"
#include <utility>
std::coroutine_handle<> parent;
struct last {
  volatile int value;
  ~last() {
    std::exchange(parent, {}).resume();
    say(value);
  }
};
[[gnu::noinline]] static bare child(int value) {
  last one{value};
  co_await std::suspend_always{};
  one.value = one.value + 1;
}
struct detached {
  struct promise_type {
    detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
};
struct ends {
  std::coroutine_handle<> of;
  bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> who) {
    parent = who;
    of.destroy();
  }
  void await_resume() noexcept { say(0); }
};
[[gnu::noinline]] static detached run(int value) {
  bare one = child(value);
  one.resume();
  co_await ends{one};
}
int main() { run(given(3)); }
