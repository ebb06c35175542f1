// The body throws: before its first suspend and after it, out of scopes and loops with locals that live across
// suspends, past handlers that do not match; the promise stores the error and the owner rethrows it.
#include "witness.h"

struct Task {
  struct promise_type {
    std::exception_ptr error;
    Witness witness{"promise"};
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() { std::puts("    returned"); }
    void unhandled_exception() {
      std::puts("    unhandled");
      error = std::current_exception();
    }
  };
  std::coroutine_handle<promise_type> handle;
};

Task at_once(int code) {
  Witness local("local");
  if (code) {
    throw Error{code};
  }
  co_return;
}

Task after_suspends(int turns, int code) {
  Witness outer("outer");
  for (int turn = 0; turn < turns; ++turn) {
    Witness inner("inner");
    co_await std::suspend_always{};
    std::printf("    turn %d\n", turn);
    if (turn == code) {
      throw Error{100 + turn};
    }
  }
}

Task past_handlers() {
  Witness outer("outer");
  try {
    Witness inner("inner");
    co_await std::suspend_always{};
    throw Error{7};
  } catch (int) {
    std::puts("    never");
  }
}

Task caught_and_on() {
  int caught = 0;
  for (int turn = 0; turn < 3; ++turn) {
    try {
      Witness inner("inner");
      co_await std::suspend_always{};
      throw Error{turn};
    } catch (const Error &error) {
      caught += 1 + error.code;
    }
    co_await std::suspend_always{};
    std::printf("    caught %d\n", caught);
  }
}

static void drive(const char *name, Task task) {
  std::puts(name);
  while (!task.handle.done()) {
    std::puts("    resume");
    task.handle.resume();
  }
  told("result", [&] {
    if (task.handle.promise().error) {
      std::rethrow_exception(task.handle.promise().error);
    }
  });
  task.handle.destroy();
  balance(name);
}

int main() {
  drive("at once", at_once(3));
  drive("not at all", at_once(0));
  drive("in the loop", after_suspends(4, 2));
  drive("after the loop", after_suspends(2, 9));
  drive("past handlers", past_handlers());
  drive("caught and on", caught_and_on());
}
