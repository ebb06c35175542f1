// The three forms of await_suspend, side by side: void always suspends, bool may decline, a handle names the next coroutine
// (itself, another one, or the noop coroutine). await_ready true skips them all.
#include <coroutine>
#include <cstdio>

struct routine {
  struct promise_type {
    int steps = 0;
    routine get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> h;
};

struct as_void {
  int result;
  bool ready = false;
  bool await_ready() { return ready; }
  void await_suspend(std::coroutine_handle<routine::promise_type> h) {
    std::printf("  void suspends at step %d\n", h.promise().steps++);
  }
  int await_resume() { return result; }
};

struct as_bool {
  bool stay;
  bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<routine::promise_type> h) {
    std::printf("  bool %s at step %d\n", stay ? "suspends" : "goes on", h.promise().steps++);
    return stay;
  }
  int await_resume() { return stay ? 10 : 20; }
};

struct as_handle {
  enum { self, other, nobody } to;
  std::coroutine_handle<> target;
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<routine::promise_type> h) {
    std::printf("  handle %d at step %d\n", static_cast<int>(to), h.promise().steps++);
    return to == self ? std::coroutine_handle<>(h) : to == other ? target : std::noop_coroutine();
  }
  int await_resume() { return 100 * (1 + static_cast<int>(to)); }
};

static routine partner() {
  for (int i = 0; i < 4; ++i) {
    std::printf("  partner turn %d\n", i);
    co_await std::suspend_always{};
  }
}

static routine mixed(std::coroutine_handle<> p) {
  int sum = 0;
  sum += co_await as_void{1};
  sum += co_await as_void{2, true};
  sum += co_await as_bool{false};
  sum += co_await as_bool{true};
  sum += co_await as_handle{as_handle::self};
  sum += co_await as_handle{as_handle::other, p};
  sum += co_await as_handle{as_handle::nobody};
  for (int i = 0; i < 5; ++i) {
    sum += co_await as_bool{i % 2 == 0};
    if (i == 3) {
      sum += co_await as_handle{as_handle::other, p};
    }
  }
  std::printf("  sum %d\n", sum);
}

// A condition that awaits on both sides of && and ||, and an await inside an argument list.
static int add(int a, int b, int c) { return a * 100 + b * 10 + c; }
static routine in_expressions() {
  int x = 3;
  if (co_await as_bool{true} > 5 && co_await as_void{0} == 0) {
    x = (co_await as_void{7}) ? add(co_await as_void{1}, x, co_await as_bool{false}) : -1;
  }
  while (co_await as_void{x > 500 ? 1 : 0}) {
    x /= 2;
  }
  std::printf("  x %d\n", x);
}

static void drive(const char *name, routine r) {
  for (int i = 0; !r.h.done(); ++i) {
    std::printf("%s resume %d\n", name, i);
    r.h.resume();
  }
  std::printf("%s took %d steps\n", name, r.h.promise().steps);
  r.h.destroy();
}

int main() {
  routine p = partner();
  drive("mixed", mixed(p.h));
  drive("expressions", in_expressions());
  p.h.destroy();
}
