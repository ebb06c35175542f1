// Errors cross symmetric transfers: a child's error is stored, its final suspend transfers to the parent, and the parent's
// await_resume throws it. Another target of a transfer throws at once: the error leaves through the original
// resume(), past the coroutine that is suspended at the transfer.
#include "witness.h"

struct Task {
  struct promise_type {
    std::coroutine_handle<> parent = std::noop_coroutine();
    std::exception_ptr error;
    int value = 0;
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
        return self.promise().parent;
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(int given) { value = given; }
    void unhandled_exception() { error = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Task(std::coroutine_handle<promise_type> given) : handle(given) {}
  Task(Task &&other) : handle(std::exchange(other.handle, {})) {}
  ~Task() {
    if (handle) {
      handle.destroy();
    }
  }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> parent) {
    handle.promise().parent = parent;
    return handle;
  }
  int await_resume() {
    if (handle.promise().error) {
      std::rethrow_exception(handle.promise().error);
    }
    return handle.promise().value;
  }
};

static Task sink(int depth, int fatal) {
  Witness local("local");
  if (depth == fatal) {
    throw Error{depth};
  }
  if (depth == 0) {
    co_return 1;
  }
  int below = co_await sink(depth - 1, fatal);
  std::printf("    %d below %d\n", below, depth);
  co_return below + depth;
}

static Task survives(int fatal) {
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    try {
      sum += co_await sink(round, fatal);
    } catch (const Error &error) {
      sum += 1000 * (error.code + 1);
    }
  }
  co_return sum;
}

// Its error is not stored.
struct Naked {
  struct promise_type {
    Naked get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
};

struct TransferTo {
  std::coroutine_handle<> next;
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<>) { return next; }
  void await_resume() { std::puts("    back"); }
};

static Naked throws(int code) {
  Witness local("thrower");
  if (code) {
    throw Error{code};
  }
  co_return;
}

static Naked transfers(std::coroutine_handle<> next) {
  Witness local("transferrer");
  try {
    co_await TransferTo{next};
  } catch (const Error &) {
    std::puts("    not here: it is suspended while the other throws");
  }
}

int main() {
  for (int fatal : {-1, 0, 2, 4}) {
    std::printf("sink %d\n", fatal);
    Task task = sink(4, fatal);
    task.handle.resume();
    told("result", [&] { std::printf("    %d\n", task.await_resume()); });
  }
  for (int fatal : {0, 1, 2, 9}) {
    std::printf("survives %d\n", fatal);
    Task task = survives(fatal);
    task.handle.resume();
    told("result", [&] { std::printf("    %d\n", task.await_resume()); });
  }
  balance("tasks");
  for (int code : {0, 9}) {
    std::printf("naked %d\n", code);
    Naked second = throws(code), first = transfers(second.handle);
    told("resume", [&] { first.handle.resume(); });
    std::printf("  done: %d %d\n", first.handle.done(), second.handle.done());
    told("resume again", [&] { first.handle.resume(); });
    first.handle.destroy();
    second.handle.destroy();
  }
  balance("all");
}
