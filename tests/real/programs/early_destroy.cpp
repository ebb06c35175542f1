// Destroys a coroutine at each of its suspend points, and once runs it to its end. Exactly the objects alive at that
// point are destroyed, in reverse order of construction.
#include <coroutine>
#include <cstdio>

struct object {
  char name;
  explicit object(char n) : name(n) { std::printf("+%c ", name); }
  object(const object &) = delete;
  ~object() { std::printf("-%c ", name); }
};

struct awaiter {
  char name;
  explicit awaiter(char n) : name(n) { std::printf("(%c ", name); }
  awaiter(const awaiter &) = delete;
  ~awaiter() { std::printf("%c) ", name); }
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<>) {}
  int await_resume() { return name; }
};

struct coro {
  struct promise_type {
    object mark{'P'};
    coro get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int) noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> h;
};

static coro body(int variant) {
  object a{'a'};
  co_yield 1;
  {
    object b{'b'};
    co_yield 2;
    for (int i = 0; i < 2; ++i) {
      object c{static_cast<char>('c' + i)};
      co_yield 3;
      if (variant == 1 && i == 1) {
        continue;
      }
      if (variant == 2 && i == 0) {
        break;
      }
      object d{static_cast<char>('w' + i)};
      co_yield 4;
    }
  }
  switch (variant) {
  case 0: {
    object e{'e'};
    co_yield 5;
    [[fallthrough]];
  }
  case 1: {
    object f{'f'};
    int got = co_await awaiter('k') + co_await awaiter('l');
    std::printf("=%d ", got);
    co_yield 6;
    break;
  }
  default:
    co_return;
  }
  object g{'g'};
  co_yield 7;
}

int main() {
  for (int variant = 0; variant < 3; ++variant) {
    for (int resumes = 0;; ++resumes) {
      std::printf("variant %d, %2d: ", variant, resumes);
      coro c = body(variant);
      bool done = false;
      for (int i = 0; i < resumes && !done; ++i) {
        c.h.resume();
        done = c.h.done();
      }
      std::printf("| ");
      c.h.destroy();
      std::puts(done ? "(done)" : "");
      if (done) {
        break;
      }
    }
  }
}
