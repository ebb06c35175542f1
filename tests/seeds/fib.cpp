// The generator of five numbers, and the main that sums them and takes 10 off: the exit status is 0.
#include <coroutine>

extern "C" void print(int);

struct minig {
  struct promise_type {
    int current = 0;
    minig get_return_object() { return minig{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int value) noexcept
    {
      current = value;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  explicit minig(std::coroutine_handle<promise_type> handle) : handle(handle) {}
  minig(const minig &) = delete;
  ~minig() { handle.destroy(); }
  bool move_next()
  {
    handle.resume();
    return !handle.done();
  }
  int current_value() { return handle.promise().current; }
  std::coroutine_handle<promise_type> handle;
};

minig fib()
{
  for (int i = 0; i < 5; i++)
    co_yield i;
}

int main()
{
  int sum = 0;
  auto g = fib();
  while (g.move_next())
    sum += g.current_value();
  print(sum);
  return sum - 10;
}
