// unhandled_exception rethrows: the error leaves through resume(), and the coroutine then counts as suspended at
// its final suspend: done() is true, and destroy() destroys the promise and the parameters but no local twice.
#include "witness.h"

struct Parameter {
  Witness witness;
  Parameter() : witness("parameter") {}
  Parameter(Parameter &&) : witness("parameter moved") {}
};

struct Task {
  struct promise_type {
    Witness witness{"promise"};
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() { std::puts("    returned"); }
    void unhandled_exception() {
      Witness handling("handling");
      throw;
    }
  };
  std::coroutine_handle<promise_type> handle;
};

static Task work(Parameter, int fatal) {
  Witness outer("outer");
  for (int turn = 0; turn < 3; ++turn) {
    Witness inner("inner");
    if (turn == fatal) {
      throw Error{turn};
    }
    co_await std::suspend_always{};
  }
}

static Task replaced(Parameter, int fatal) {
  Witness outer("outer");
  try {
    co_await std::suspend_always{};
    if (fatal) {
      throw 5;
    }
  } catch (int value) {
    Witness handler("handler");
    throw Error{value + fatal};
  }
}

static void drive(const char *name, Task task) {
  std::puts(name);
  while (!task.handle.done() && told("resume", [&] { task.handle.resume(); })) {
  }
  std::printf("  done: %d\n  destroy\n", task.handle.done());
  task.handle.destroy();
  balance(name);
}

int main() {
  for (int fatal = 0; fatal < 4; ++fatal) {
    drive("work", work({}, fatal));
  }
  drive("not replaced", replaced({}, 0));
  drive("replaced", replaced({}, 1));
}
