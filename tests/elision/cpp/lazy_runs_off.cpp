// A loop resumes it until it frees itself, which it reports to its owner.
#include "bare.h"
struct gone {
  struct promise_type {
    bool *over;
    promise_type(bool &over, int) : over(&over) {}
    gone get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept {
      *over = true;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> of;
};
static gone steps(bool &, int count) {
  while (count-- > 0) {
    say(count);
    co_await std::suspend_always{};
  }
}
int main() {
  bool over = false;
  auto started = steps(over, given(3));
  while (!over)
    started.of.resume();
}
