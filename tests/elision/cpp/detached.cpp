// It is suspended in a queue when its creator returns, and frees itself at its end.
#include "bare.h"
static std::coroutine_handle<> queue[4];
static int queued;
struct later {
  bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> who) noexcept { queue[queued++] = who; }
  void await_resume() noexcept {}
};
struct fire {
  struct promise_type {
    fire get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
static fire shout(int value) {
  say(value);
  co_await later{};
  say(value + 1);
}
[[gnu::noinline]] static void start() {
  for (int i = 0; i < 3; i++)
    shout(given(10 * i));
}
int main() {
  start();
  while (queued)
    queue[--queued].resume();
}
