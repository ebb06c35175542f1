// The result of get_return_object is converted to the function's result when the ramp returns. The frame may be freed
// by then, at the coroutine's end or by its first awaiter. So the result is outside of the frame, although its
// constructor may capture its address, and may throw.
#include "witness.h"
#include <new>

enum Start { runs, waits, destroyed };
static Start start;
static bool refuse = false, throws = false;
static int frames = 0;
static std::coroutine_handle<> last;

struct Given {
  int number;
};

struct Task {
  struct promise_type;
  int number;
  Task(Given);
  Task(int);
};

__attribute__((noinline)) Task::Task(Given given) : number(given.number + 1) {
  if (throws) {
    throw Error{number};
  }
}
__attribute__((noinline)) Task::Task(int n) : number(n) {}

struct Initially {
  bool await_ready() { return start == runs; }
  void await_suspend(std::coroutine_handle<> h) {
    last = h;
    if (start == destroyed) {
      h.destroy();
    }
  }
  void await_resume() {}
};

struct Task::promise_type {
  Witness witness{"promise"};
  void *operator new(std::size_t size) noexcept {
    if (refuse) {
      return nullptr;
    }
    ++frames;
    return ::operator new(size);
  }
  void operator delete(void *frame) {
    --frames;
    ::operator delete(frame);
  }
  static Task get_return_object_on_allocation_failure() { return 100; }
  Given get_return_object() { return {40}; }
  Initially initial_suspend() { return {}; }
  std::suspend_never final_suspend() noexcept { return {}; }
  void return_void() {}
  void unhandled_exception() { throw; }
};

static Task task(int n) {
  std::printf("body %d\n", n);
  if (n > 9) {
    throw Error{n};
  }
  co_return;
}

static void attempt(const char *how, Start begin, int n) {
  start = begin;
  try {
    Task t = task(n);
    std::printf("%s %d: %d\n", how, n, t.number);
    if (begin == waits && !refuse) {
      last.resume();
    }
  } catch (const Error &error) {
    std::printf("%s %d: error %d\n", how, n, error.code);
  }
  std::printf("frames: %d\n", frames);
}

int main() {
  for (int round = 0; round < 2; round++) {
    throws = round;
    attempt("runs", runs, 1);
    attempt("runs", runs, 10);
    attempt("waits", waits, 2);
    if (!throws) {
      attempt("destroyed", destroyed, 3);
    }
    refuse = true;
    attempt("refused", runs, 4);
    refuse = false;
  }
  balance("end");
}
