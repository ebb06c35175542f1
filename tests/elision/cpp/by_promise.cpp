// A handle that is computed from its promise's address destroys it.
#include "bare.h"
int main() {
  auto handle = count(given(3));
  handle.resume();
  state &of = handle.promise();
  say(of.value);
  std::coroutine_handle<state>::from_promise(of).destroy();
}
