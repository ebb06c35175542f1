#include "fibers.h"

fiber there(player &me, long limit) {
  while (me.turns < limit) {
    ++me.turns;
    co_await transfer{std::coroutine_handle<fiber::promise_type>::from_promise(*me.other)};
  }
}

fiber counts(int &count, int times, std::coroutine_handle<> then) {
  for (int i = 0; i < times; ++i) {
    ++count;
    co_await std::suspend_always{};
  }
  co_await transfer{then};
}

namespace {
// Frees the frame of the coroutine that awaits it, resumes another, and transfers to the no-op coroutine.
struct farewell {
  std::coroutine_handle<> *again;
  int &seen;
  bool await_ready() noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> self) noexcept {
    std::coroutine_handle<> *handle = again;
    int &number = seen;
    self.destroy();
    handle[1].resume(); // makes a coroutine, in this one's place if the allocator thinks so, and resumes it
    number += 1000;
    return std::noop_coroutine();
  }
  void await_resume() noexcept {}
};
} // namespace

fiber vanishes(std::coroutine_handle<> *again, int &seen) { co_await farewell{again, seen}; }
