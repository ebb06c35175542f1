// Tasks that await each other by symmetric transfer.
#include "running.h"
#include "task.h"

template <typename T> using plain = task<T>;

static plain<int> child(int i) { co_return i + 1; }
static plain<int> await_known(int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, co_await child(i));
  co_return int(sum);
}
COROUTINES(await_known) { return unsigned(run(await_known(count))); }
BY_HAND(await_known) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, i + 1);
  return sum;
}

static plain<int> await_opaque(int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, co_await opaque(child)(i));
  co_return int(sum);
}
COROUTINES(await_opaque) { return unsigned(run(await_opaque(count))); }
static int no_child(int i) { return i + 1; }
BY_HAND(await_opaque) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, opaque(no_child)(i));
  return sum;
}

[[gnu::noinline]] static plain<int> child_apart(int i) { co_return i + 1; }
static plain<int> await_not_inlined(int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, co_await child_apart(i));
  co_return int(sum);
}
COROUTINES(await_not_inlined) { return unsigned(run(await_not_inlined(count))); }
[[gnu::noinline]] static int no_child_apart(int i) { return i + 1; }
BY_HAND(await_not_inlined) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, no_child_apart(i));
  return sum;
}

// A chain of 1,000 frames for each 1,000 units.
static plain<int> chain(int depth) {
  if (depth == 0)
    co_return 1;
  co_return 1 + co_await chain(depth - 1);
}
COROUTINES(chain_1000) {
  unsigned sum = 0;
  for (int i = 0; i < count; i += 1000)
    mix(sum, run(opaque(chain)(1000)));
  return sum;
}
static int recursion(int depth) { return depth == 0 ? 1 : 1 + opaque(recursion)(depth - 1); }
BY_HAND(chain_1000) {
  unsigned sum = 0;
  for (int i = 0; i < count; i += 1000)
    mix(sum, recursion(1000));
  return sum;
}

// One unit is one call of the function.
static plain<int> fibonacci(int n) {
  if (n < 2)
    co_return n;
  int first = co_await fibonacci(n - 1);
  co_return first + co_await fibonacci(n - 2);
}
COROUTINES(fib_by_tasks) {
  unsigned sum = 0;
  for (int i = 0; i < count; i += 177)
    mix(sum, run(opaque(fibonacci)(10)));
  return sum;
}
static int fibonacci_by_hand(int n) { return n < 2 ? n : opaque(fibonacci_by_hand)(n - 1) + opaque(fibonacci_by_hand)(n - 2); }
BY_HAND(fib_by_tasks) {
  unsigned sum = 0;
  for (int i = 0; i < count; i += 177)
    mix(sum, fibonacci_by_hand(10));
  return sum;
}

// Two coroutines that resume each other.
struct player {
  struct promise_type {
    player get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<> of;
};
struct transfer {
  std::coroutine_handle<> &to;
  bool await_ready() noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<>) noexcept { return to; }
  void await_resume() noexcept {}
};
static player play(int count, int first, unsigned &sum, std::coroutine_handle<> &other) {
  for (int i = first; i < count; i += 2) {
    mix(sum, i);
    co_await transfer{other};
  }
}
COROUTINES(ping_pong) {
  unsigned sum = 0;
  std::coroutine_handle<> one, two;
  one = opaque(play)(count, 0, sum, two).of;
  two = opaque(play)(count, 1, sum, one).of;
  one.resume();
  one.destroy();
  two.destroy();
  return sum;
}
static void pass(int i, unsigned &sum) { mix(sum, i); }
BY_HAND(ping_pong) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    opaque(pass)(i, sum);
  return sum;
}

// A queue resumes ten coroutines, one after the other.
static player work(int first, int count, unsigned &sum) {
  for (int i = first; i < count; i += 10) {
    mix(sum, i);
    co_await std::suspend_always{};
  }
}
COROUTINES(round_robin) {
  unsigned sum = 0;
  std::coroutine_handle<> workers[10];
  for (int i = 0; i < 10; i++)
    workers[i] = opaque(work)(i, count, sum).of;
  for (int left = 10; left;)
    for (auto &worker : workers)
      if (worker && (worker.resume(), worker.done())) {
        worker.destroy();
        worker = {};
        left--;
      }
  return sum;
}
BY_HAND(round_robin) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    opaque(pass)(i, sum);
  return sum;
}
