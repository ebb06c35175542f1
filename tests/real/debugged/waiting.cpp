// The program of test_gdb_coro.py's tests of optimized frames: what each variable is at each suspend.
#include <coroutine>

__attribute__((noinline)) void sink(int *known) { asm volatile("" ::"r"(known) : "memory"); }

struct task {
  struct overwriting {
    int bytes[6] = {-1, -1, -1, -1, -1, -1};
    bool await_ready() noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) noexcept { sink(bytes); }
    void await_resume() noexcept {}
  };
  struct promise_type {
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    overwriting final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

struct pair {
  int first;
  int second;
};

__attribute__((noinline)) int source(int value)
{
  asm volatile("" : "+r"(value));
  return value;
}
__attribute__((noinline)) void look(long value) { asm volatile("" ::"r"(value)); }
__attribute__((noinline)) void stop(void *handle) { asm volatile("" ::"r"(handle) : "memory"); } // stops

task count(int until)
{
  int sum = source(40);
  for (int round = 0; round < until; ++round) {
    sink(&sum);
    co_await std::suspend_always{}; // count waits
    sum += round;
    look(sum + until);
  }
  sink(&sum);
}

task change(int from)
{
  int changed = source(from + 1);
  pair both{source(3), source(4)};
  co_await std::suspend_always{}; // first
  look(changed);
  int old = changed;
  changed = source(changed + 1);
  co_await std::suspend_always{}; // second
  look(changed);
  look(old);
  look(both.first);
  look(both.second);
  if (old) {
    int local = source(100);
    co_await std::suspend_always{}; // third
    look(local);
  }
}

void run(task t)
{
  for (;;) {
    stop(t.handle.address());
    if (t.handle.done())
      break;
    t.handle.resume();
  }
  t.handle.destroy();
}

int main()
{
  run(count(2));
  run(change(source(5)));
}
