// As rethrow_is_done.cpp, but no path of these bodies reaches the end, so that no final suspend is left in them.
// LLVM's passes are wrong: their destroy() continues at the last suspend, and destroys the locals of the body
// twice. rethrow_never_ends.expected follows the standard: the coroutine counts as suspended at its
// final suspend, and destroy() destroys only the promise.
#include "witness.h"

struct Task {
  struct promise_type {
    Witness witness{"promise"};
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int) noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
};

static Task one_suspend() {
  Witness local("local");
  co_yield 1;
  throw Error{1};
}

static Task two_suspends() {
  Witness outer("outer");
  co_yield 1;
  {
    Witness inner("inner");
    co_yield 2;
    throw Error{2};
  }
}

static Task for_ever(int fatal) {
  Witness outer("outer");
  for (int turn = 0;; ++turn) {
    Witness inner("inner");
    co_yield turn;
    if (turn == fatal) {
      throw Error{turn};
    }
  }
}

static void drive(const char *name, Task task, int limit) {
  std::puts(name);
  while (!task.handle.done() && limit-- > 0 && told("resume", [&] { task.handle.resume(); })) {
  }
  std::printf("  done: %d\n  destroy\n", task.handle.done());
  task.handle.destroy();
  balance(name);
}

int main() {
  drive("one suspend", one_suspend(), 9);
  drive("one suspend, destroyed early", one_suspend(), 1);
  drive("two suspends", two_suspends(), 9);
  drive("two suspends, destroyed early", two_suspends(), 2);
  drive("for ever", for_ever(2), 9);
  drive("for ever, destroyed early", for_ever(2), 2);
  drive("for ever, never started", for_ever(0), 0);
}
