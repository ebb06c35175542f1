// A handle is in a unique_ptr whose deleter destroys it.
#include <memory>
#include "bare.h"
struct destroys {
  using pointer = void *;
  void operator()(void *frame) const { std::coroutine_handle<>::from_address(frame).destroy(); }
};
int main() {
  std::unique_ptr<void, destroys> owner(count(given(3)).address());
  auto handle = std::coroutine_handle<state>::from_address(owner.get());
  int sum = 0;
  for (handle.resume(); !handle.done(); handle.resume())
    sum += handle.promise().value;
  say(sum);
}
