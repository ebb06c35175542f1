// A final awaiter with a destructor: it is constructed when the body ends, and not when unhandled_exception rethrows or
// throws another error. The coroutine then counts as suspended at its final suspend, but no awaiter exists.
// Clang's builds destroy one that was never constructed; final_awaiter.expected has the correct output.
#include "witness.h"

struct Task {
  struct promise_type {
    Witness witness{"promise"};
    bool replaces;
    explicit promise_type(int kind) : replaces(kind == 2) {}
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      Witness witness{"final awaiter"};
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<>) noexcept {}
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {
      if (replaces) {
        throw Error{99};
      }
      throw;
    }
  };
  std::coroutine_handle<promise_type> handle;
};

static Task work(int kind) {
  Witness local("local");
  co_await std::suspend_always{};
  if (kind) {
    throw Error{kind};
  }
}

int main() {
  for (int kind = 0; kind < 3; ++kind) {
    std::printf("kind %d\n", kind);
    Task task = work(kind);
    while (!task.handle.done() && told("resume", [&] { task.handle.resume(); })) {
    }
    std::printf("  done: %d\n  destroy\n", task.handle.done());
    task.handle.destroy();
    balance("after");
  }
}
