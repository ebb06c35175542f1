// The program of test_gdb.py: variables that change between suspends, one of them from outside.
// Lowered before it is optimised: the passes of a whole level optimize its counter out.
#include <coroutine>
#include <cstdio>

struct tally {
  struct promise_type {
    int last = 0;
    tally get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int value) {
      last = value;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

__attribute__((noinline)) int look(int value) {
  asm volatile("" : "+r"(value));
  return value; // looks
}

__attribute__((noinline)) void change(int *shared) { ++*shared; }

int *known;

tally count(int from, int until) {
  int total = look(from);
  int outside = 1;
  known = &outside;
  for (int round = look(0); round < until; ++round) {
    co_yield total;
    look(-1); // after the suspend
    total += round * 10 + look(1);
    change(&outside);
  }
  std::printf("%d %d\n", total, outside);
}

int main() {
  tally t = count(5, 3);
  for (int i = 0; i < 4; ++i) {
    if (i)
      *known += 100;
    t.handle.resume();
  }
  t.handle.destroy();
}
