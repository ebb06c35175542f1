// The promise defines the result of a failed allocation.
#include <new>
#include "bare.h"
struct cautious;
struct cautious_handle : std::coroutine_handle<cautious> {
  using promise_type = cautious;
};
struct cautious {
  int value = 0;
  static cautious_handle get_return_object_on_allocation_failure() { return {}; }
  cautious_handle get_return_object() { return {std::coroutine_handle<cautious>::from_promise(*this)}; }
  std::suspend_always initial_suspend() noexcept { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  void return_void() {}
  void unhandled_exception() {}
};
static cautious_handle one(int value) {
  say(value);
  co_return;
}
int main() {
  auto handle = one(given(3));
  if (!handle)
    return 1;
  handle.resume();
  handle.destroy();
}
