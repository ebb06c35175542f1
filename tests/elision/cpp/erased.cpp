// A table of functions on the stack (type erasure) operates on it.
#include "bare.h"
struct erased {
  void *frame;
  void (*resume)(void *);
  void (*destroy)(void *);
};
static erased erase(std::coroutine_handle<> handle) {
  return {handle.address(), [](void *frame) { std::coroutine_handle<>::from_address(frame).resume(); },
          [](void *frame) { std::coroutine_handle<>::from_address(frame).destroy(); }};
}
int main() {
  auto handle = count(given(3));
  auto any = erase(handle);
  for (int i = given(2); i; i--)
    any.resume(any.frame);
  say(handle.promise().value);
  any.destroy(any.frame);
}
