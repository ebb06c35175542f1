// It starts eagerly, suspends once, is resumed by its creator, and frees itself at its end, without a destroy.
#include "bare.h"
struct eager {
  struct promise_type {
    eager get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> of;
};
static eager halves(int value) {
  say(value);
  co_await std::suspend_always{};
  say(value + 1);
}
int main() {
  auto started = halves(given(3));
  started.of.resume();
}
