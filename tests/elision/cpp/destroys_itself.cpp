// It destroys its own frame when it is resumed after its creator has returned.
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
bare published;
[[gnu::noinline]] static void start(int value) {
  published = brief(value);
  published.resume();
  say(published.promise().value);
}
int main() {
  start(given(3));
  published.resume();
  say(4);
}
