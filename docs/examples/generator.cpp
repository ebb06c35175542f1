#include <coroutine>
#include <cstdio>

struct Generator {
  struct promise_type {
    int value = 0;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) noexcept { value = v; return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept {}
  };
  std::coroutine_handle<promise_type> handle;
};

Generator triangle(int rows) {
  int sum = 0;
  for (int row = 1; row <= rows; row++) {
    sum += row;
    co_yield sum;
  }
}

int main() {
  Generator g = triangle(5);
  for (g.handle.resume(); !g.handle.done(); g.handle.resume())
    std::printf("%d\n", g.handle.promise().value);
  g.handle.destroy();
}
