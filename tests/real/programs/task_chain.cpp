// Lazily started tasks: co_await starts the child by symmetric transfer, its final suspend transfers back. A loop of
// 300,000 children that finish at once, and a chain 20,000 deep, only end if every transfer is a tail call.
#include <coroutine>
#include <cstdio>
#include <utility>

template <class T> struct task {
  struct promise_type {
    T value{};
    std::coroutine_handle<> waiting = std::noop_coroutine();
    task get_return_object() { return task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct resume_waiting {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
        return self.promise().waiting;
      }
      void await_resume() noexcept {}
    };
    resume_waiting final_suspend() noexcept { return {}; }
    void return_value(T v) { value = v; }
    void unhandled_exception() {}
  };
  explicit task(std::coroutine_handle<promise_type> h) : coro(h) {}
  task(task &&o) noexcept : coro(std::exchange(o.coro, {})) {}
  ~task() {
    if (coro) {
      coro.destroy();
    }
  }
  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
    coro.promise().waiting = caller;
    return coro;
  }
  T await_resume() { return coro.promise().value; }
  T run() {
    coro.resume();
    return coro.promise().value;
  }
  std::coroutine_handle<promise_type> coro;
};

static task<unsigned> one(unsigned i) { co_return i ^ (i >> 3); }

static task<unsigned long> many(unsigned n) {
  unsigned long sum = 0;
  for (unsigned i = 0; i < n; ++i) {
    sum += co_await one(i);
  }
  co_return sum;
}

static task<long> deep(long n) {
  if (n == 0) {
    co_return 1;
  }
  long below = co_await deep(n - 1);
  co_return (below * 3 + n) % 1000003;
}

static task<double> mixed(int n) {
  double total = 0.5;
  for (int i = 1; i <= n; ++i) {
    double scale = 1.0 / i;
    total += scale * static_cast<double>(co_await deep(i % 7)) + static_cast<double>(co_await one(static_cast<unsigned>(i)));
  }
  co_return total;
}

int main() {
  std::printf("%lu\n", many(300000).run());
  std::printf("%ld\n", deep(20000).run());
  std::printf("%.6f\n", mixed(50).run());
}
