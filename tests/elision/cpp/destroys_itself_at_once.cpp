// It destroys its own frame before its creator returns.
#include "bare.h"
struct suicide {
  bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> who) noexcept { who.destroy(); }
  void await_resume() noexcept {}
};
static bare brief(int value) {
  co_yield value;
  co_await suicide{};
}
int main() {
  auto handle = brief(given(3));
  handle.resume();
  say(handle.promise().value);
  handle.resume();
}
