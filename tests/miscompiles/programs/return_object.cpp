// What get_return_object gives is turned into the return value, and then destroyed where it was made. Prints how many of its
// destructions were at another place.
#include <coroutine>
#include <cstdio>

static int elsewhere;

struct tracer {
  tracer *self;
  std::coroutine_handle<> handle;
  tracer(std::coroutine_handle<> h) : self(this), handle(h) {}
  tracer(const tracer &other) : self(this), handle(other.handle) {}
  __attribute__((noinline)) ~tracer() { elsewhere += self != this; }
};

struct task {
  struct promise_type {
    tracer get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() noexcept {}
  };
  std::coroutine_handle<> handle;
  task(const tracer &made) : handle(made.handle) {}
};

static task f() { co_return; }

int main() {
  task one = f();
  one.handle.resume();
  one.handle.destroy();
  std::printf("%d\n", elsewhere);
}
