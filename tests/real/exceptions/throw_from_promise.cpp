// yield_value, return_value and yield_value's awaiter throw; the body catches some errors.
#include "witness.h"

struct Stream {
  struct promise_type {
    int current = -1, result = -1;
    Stream get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    struct Yielded {
      int value;
      Witness witness{"yielded"};
      explicit Yielded(int given) : value(given) {}
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<>) {
        if (value % 5 == 4) {
          throw Error{value * 10};
        }
      }
      void await_resume() {
        if (value % 5 == 3) {
          throw Error{value * 100};
        }
      }
    };
    Yielded yield_value(int value) {
      if (value % 5 == 2) {
        throw Error{value};
      }
      current = value;
      return Yielded(value);
    }
    void return_value(int value) {
      Witness witness("returning");
      if (value < 0) {
        throw Error{-value};
      }
      result = value;
    }
    void unhandled_exception() {
      try {
        throw;
      } catch (const Error &error) {
        std::printf("    unhandled %d\n", error.code);
      }
    }
  };
  std::coroutine_handle<promise_type> handle;
};

static Stream count(int from, int to, bool catching) {
  Witness local("local");
  int caught = 0;
  for (int i = from; i < to; ++i) {
    if (!catching) {
      co_yield i;
      continue;
    }
    try {
      co_yield i;
    } catch (const Error &error) {
      std::printf("    caught %d\n", error.code);
      ++caught;
    }
  }
  co_return catching ? caught : -caught - 50;
}

// The error of return_value is thrown inside the body, so a handler in the body catches it, and the body continues.
static Stream returns_twice() {
  Witness local("local");
  try {
    Witness inner("inner");
    co_return -5;
  } catch (const Error &error) {
    std::printf("    caught %d\n", error.code);
  }
  co_yield 0;
  co_return 6;
}

static void drive(const char *name, Stream stream) {
  std::puts(name);
  for (stream.handle.resume(); !stream.handle.done(); stream.handle.resume()) {
    std::printf("    current %d\n", stream.handle.promise().current);
  }
  std::printf("  result %d\n", stream.handle.promise().result);
  stream.handle.destroy();
  balance(name);
}

int main() {
  drive("caught", count(0, 11, true));
  drive("yield_value throws", count(0, 4, false));
  drive("await_resume throws", count(3, 5, false));
  drive("await_suspend throws", count(4, 6, false));
  drive("return_value throws", count(0, 2, false));
  drive("returns twice", returns_twice());
}
