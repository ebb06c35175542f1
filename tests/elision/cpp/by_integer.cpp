// Its handle is converted to an integer and back.
#include <cstdint>
#include "bare.h"
int main() {
  auto number = reinterpret_cast<std::uintptr_t>(count(given(3)).address());
  auto handle = std::coroutine_handle<state>::from_address(reinterpret_cast<void *>(number));
  handle.resume();
  say(handle.promise().value);
  handle.destroy();
}
