// Its handle is stored to a global and resumed from there, and it is destroyed before the function returns.
#include "bare.h"
std::coroutine_handle<> published;
[[gnu::noinline]] static void resume_published() { published.resume(); }
int main() {
  auto handle = count(given(4));
  published = handle;
  resume_published();
  resume_published();
  say(handle.promise().value);
  handle.destroy();
}
