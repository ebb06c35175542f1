// It starts eagerly, never suspends, and frees itself at its end.
#include "bare.h"
struct fire {
  struct promise_type {
    fire get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
static fire shout(int value) {
  say(value);
  co_return;
}
int main() { shout(given(3)); }
