// After an error left a coroutine, destroy() destroys the promise and the copies of the parameters, in that
// order, and nothing else. Bodies with and without a reachable end, frames on the heap and
// elided frames, and a promise that is destroyed at the end only. Clang's builds
// destroy locals or an awaiter that do not exist; done_by_error.expected has the correct output.
#include "witness.h"

#include <memory>
#include <string>

struct Final {
  Witness witness{"final awaiter"};
  bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<>) noexcept {}
  void await_resume() noexcept {}
};

template <typename Awaiter> struct Task {
  struct promise_type {
    Witness witness{"promise"};
    std::unique_ptr<std::string> owned = std::make_unique<std::string>("a string too long to be kept in place");
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Awaiter final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Task(std::coroutine_handle<promise_type> given) : handle(given) {}
  Task(Task &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Task() {
    if (handle) {
      handle.destroy();
    }
  }
  bool step() {
    return told("resume", [&] { handle.resume(); });
  }
};

struct Parameter {
  Witness witness;
  std::unique_ptr<int> owned = std::make_unique<int>(5);
  explicit Parameter(const char *name) : witness(name) {}
  Parameter(Parameter &&other) : witness("copy"), owned(std::move(other.owned)) {}
};

using Plain = Task<std::suspend_always>;
using Awaited = Task<Final>;

static Plain never_ends(Parameter first, Parameter second, int code) {
  Witness local("local");
  co_await std::suspend_always{};
  throw Error{*first.owned + *second.owned + code};
}

static Awaited may_end(Parameter first, int code) {
  Witness local("local");
  co_await std::suspend_always{};
  if (code) {
    throw Error{*first.owned + code};
  }
}

static Plain owner(Awaited inner, Parameter) {
  Witness local("local");
  inner.step();
  co_await std::suspend_always{};
  inner.step();
  throw Error{1};
}

static Awaited at_once(Parameter, int code) {
  if (code) {
    throw Error{code};
  }
  co_return;
}

struct [[clang::coro_only_destroy_when_complete]] Whole : Awaited {
  struct promise_type : Awaited::promise_type {
    Whole get_return_object() { return Whole(std::coroutine_handle<Awaited::promise_type>::from_promise(*this)); }
  };
  using Awaited::Awaited;
};

static Whole when_complete(Parameter, int code) {
  Witness local("local");
  co_await std::suspend_always{};
  if (code) {
    throw Error{code};
  }
}

template <typename Coroutine> static void drive(const char *name, Coroutine task, int steps) {
  std::puts(name);
  while (!task.handle.done() && steps-- > 0 && task.step()) {
  }
  std::printf("  done: %d\n", task.handle.done());
}

// The whole life of a coroutine in one function: an optimiser may put the frame into this one's.
[[gnu::always_inline]] static inline void inside(int code) {
  Awaited task = at_once(Parameter("parameter"), code);
  try {
    task.handle.resume();
  } catch (const Error &error) {
    std::printf("  threw %d\n", error.code);
  }
  std::printf("  done: %d\n", task.handle.done());
}

int main() {
  for (int steps = 0; steps < 3; ++steps) {
    drive("never ends", never_ends(Parameter("first"), Parameter("second"), 1), steps);
    balance("never ends");
  }
  for (int code = 0; code < 2; ++code) {
    drive("may end", may_end(Parameter("parameter"), code), 9);
    drive("owner", owner(may_end(Parameter("inner"), code), Parameter("outer")), 9);
    drive("when complete", when_complete(Parameter("parameter"), code), 9);
    std::puts("inside");
    inside(code);
    balance("all");
  }
}
