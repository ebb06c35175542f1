// The constructor of its promise throws, and the frame is freed before a caller receives the handle.
#include "bare.h"
struct strict;
struct strict_handle : std::coroutine_handle<strict> {
  using promise_type = strict;
};
struct strict {
  int value;
  strict(int value) : value(value) {
    if (value < 0)
      throw value;
  }
  strict_handle get_return_object() { return {std::coroutine_handle<strict>::from_promise(*this)}; }
  std::suspend_always initial_suspend() noexcept { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  void return_void() {}
  void unhandled_exception() { throw; }
};
static strict_handle one(int) { co_return; }
int main() {
  for (int i = given(-1); i < 2; i++)
    try {
      auto handle = one(i);
      handle.resume();
      say(handle.promise().value);
      handle.destroy();
    } catch (int thrown) {
      say(thrown);
    }
}
