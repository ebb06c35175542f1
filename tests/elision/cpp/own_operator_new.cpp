// The promise defines operator new and delete.
#include <cstddef>
#include "bare.h"
extern "C" void *new_frame(std::size_t);
extern "C" void free_frame(void *);
struct own;
struct own_handle : std::coroutine_handle<own> {
  using promise_type = own;
};
struct own {
  static void *operator new(std::size_t size) { return new_frame(size); }
  static void operator delete(void *memory) { free_frame(memory); }
  own_handle get_return_object() { return {std::coroutine_handle<own>::from_promise(*this)}; }
  std::suspend_always initial_suspend() noexcept { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  void return_void() {}
  void unhandled_exception() {}
};
static own_handle one(int value) {
  say(value);
  co_return;
}
int main() {
  auto handle = one(given(3));
  handle.resume();
  handle.destroy();
}
