// The program of test_gdb.py, which finds lines by the comments at their ends.
#include <coroutine>
#include <cstdio>

struct task {
  struct promise_type {
    int last = 1;
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int value)
    {
      last = value;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

struct guard {
  const char *name;
  ~guard() { std::printf("%s ends\n", name); } // in destructor
};

__attribute__((noinline)) int twice(int value) { return 2 * value; }

task countdown(int from, const char *label)
{
  guard kept{label};
  int sum = 0;
  for (int left = from; left > 0; left--) {
    int step = twice(left);
    co_yield step;
    sum += step; // after the suspend
    std::printf("%s %d\n", label, sum);
  }
}

// The resumer must not know the coroutine: optimizers would inline it into main.
__attribute__((noinline)) void resume(std::coroutine_handle<> handle)
{
  handle.resume(); // resumes
}

int main()
{
  task started = countdown(5, "five"); // starts
  for (int i = 0; i < 4; i++)
    resume(started.handle); // in turn
  started.handle.destroy();  // destroys
}
