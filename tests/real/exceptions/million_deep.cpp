// A chain of a million coroutines, each awaiting the next by symmetric transfer, on a stack that may not grow past half
// a megabyte; the same with an error that crosses ten thousand of them; and two that transfer to each other a million
// times. Every await measures the depth of the stack.
#include "witness.h"
#include <cstdint>
#include <sys/resource.h>

static std::uintptr_t lowest, highest;

static void measure() {
  auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  lowest = here < lowest ? here : lowest;
  highest = here > highest ? here : highest;
}

static void report(const char *what) {
  std::printf("%s: %s\n", what, highest - lowest < 16384 ? "the stack is constant" : "the stack grew");
  lowest = UINTPTR_MAX;
  highest = 0;
}

struct Task {
  struct promise_type {
    std::coroutine_handle<> parent = std::noop_coroutine();
    std::exception_ptr error;
    long value = 0;
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
        measure();
        return self.promise().parent;
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(long given) { value = given; }
    void unhandled_exception() { error = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Task(std::coroutine_handle<promise_type> given) : handle(given) {}
  Task(const Task &) = delete;
  ~Task() { handle.destroy(); }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> parent) {
    measure();
    handle.promise().parent = parent;
    return handle;
  }
  long await_resume() {
    if (handle.promise().error) {
      std::rethrow_exception(handle.promise().error);
    }
    return handle.promise().value;
  }
};

static Task chain(int depth, bool failing) {
  if (depth == 0) {
    if (failing) {
      throw Error{77};
    }
    co_return 0;
  }
  co_return 1 + co_await chain(depth - 1, failing);
}

struct Player {
  struct promise_type {
    Player get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
};

struct HandOver {
  std::coroutine_handle<> &other;
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<>) {
    measure();
    return other;
  }
  void await_resume() {}
};

static Player play(std::coroutine_handle<> &other, long &count) {
  while (++count < 1000000) {
    try {
      co_await HandOver{other};
    } catch (...) {
      throw Error{1};
    }
  }
}

int main() {
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  limit.rlim_cur = 512 * 1024;
  setrlimit(RLIMIT_STACK, &limit);
  report("nothing");
  {
    Task task = chain(1000000, false);
    task.handle.resume();
    std::printf("value %ld\n", task.await_resume());
    report("a million deep");
  }
  {
    Task task = chain(10000, true);
    task.handle.resume();
    told("result", [&] { task.await_resume(); });
    report("an error through ten thousand");
  }
  long count = 0;
  std::coroutine_handle<> handles[2];
  Player left = play(handles[1], count), right = play(handles[0], count);
  handles[0] = left.handle;
  handles[1] = right.handle;
  left.handle.resume();
  std::printf("count %ld\n", count);
  report("to and fro");
  left.handle.destroy();
  right.handle.destroy();
}
