// A C++20 generator: the Fibonacci numbers up to a limit, and the number of even ones.
#include <coroutine>
#include <cstdio>

class Generator {
public:
  struct promise_type {
    unsigned value = 0;
    Generator get_return_object() { return Generator(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(unsigned v) noexcept {
      value = v;
      return {};
    }
    void return_void() noexcept {}
    void unhandled_exception() noexcept {}
  };

  Generator(const Generator &) = delete;
  ~Generator() { handle.destroy(); }
  bool next() {
    handle.resume();
    return !handle.done();
  }
  unsigned value() const { return handle.promise().value; }

private:
  explicit Generator(std::coroutine_handle<promise_type> h) : handle(h) {}
  std::coroutine_handle<promise_type> handle;
};

__attribute__((noinline)) Generator fibonacci(unsigned limit, unsigned *even) {
  unsigned a = 0, b = 1;
  while (a <= limit) {
    co_yield a;
    *even += a % 2 == 0;
    unsigned next = a + b;
    a = b;
    b = next;
  }
}

int main() {
  unsigned even = 0;
  {
    Generator numbers = fibonacci(100, &even);
    while (numbers.next())
      std::printf("%u ", numbers.value());
  }
  std::printf("(%u even)\n", even);
  return 0;
}
