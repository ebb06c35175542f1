// The function that creates it returns it to a caller that must not inline it.
#include "bare.h"
[[gnu::noinline]] static bare make(int limit) {
  auto handle = count(limit);
  handle.resume();
  return handle;
}
int main() {
  auto a = make(given(4)), b = make(given(5));
  b.resume();
  say(a.promise().value + b.promise().value);
  a.destroy();
  b.destroy();
}
