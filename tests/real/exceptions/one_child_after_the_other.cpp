// A coroutine awaits children one after the other: in a row, in a loop, on two branches, and one that throws. Elided, they
// share memory in its frame.
#include <coroutine>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

struct Task {
  struct promise_type {
    long value = 0;
    std::exception_ptr error;
    std::coroutine_handle<> waiter = std::noop_coroutine();
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept { return h.promise().waiter; }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(long v) { value = v; }
    void unhandled_exception() { error = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> h;
  explicit Task(std::coroutine_handle<promise_type> h) : h(h) {}
  Task(Task &&other) : h(std::exchange(other.h, {})) {}
  ~Task() { if (h) h.destroy(); }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) { h.promise().waiter = waiter; return h; }
  long await_resume() {
    if (h.promise().error)
      std::rethrow_exception(h.promise().error);
    return h.promise().value;
  }
};

static std::coroutine_handle<> pending;
struct Later {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { pending = h; }
  void await_resume() {}
};
struct Noisy {
  long n;
  explicit Noisy(long n) : n(n) { std::printf("begin %ld\n", n); }
  ~Noisy() { std::printf("end %ld\n", n); }
};

static Task child(long n, bool fails) {
  Noisy noisy(n);
  long kept[4] = {n, n + 1, n + 2, n + 3};
  co_await Later{};
  if (fails)
    throw std::runtime_error("failed");
  long sum = 0;
  for (long each : kept)
    sum += each;
  co_return sum;
}

static Task parent(long n) {
  long total = co_await child(n, false);
  total += co_await child(total, false);
  for (int i = 0; i < 3; i++)
    total += co_await child(i, false);
  if (total % 2)
    total = total * 10 + co_await child(100, false);
  else
    total = total * 10 + co_await child(200, false);
  try {
    total += co_await child(300, true);
  } catch (const std::runtime_error &error) {
    std::printf("%s\n", error.what());
  }
  {
    Task first = child(400, false), second = child(500, false); // both exist at once
    total += co_await second;
    total += co_await first;
  }
  Task started = child(600, false); // never awaited
  co_return total;
}

int main() {
  for (long n = 1; n < 3; n++) {
    Task task = parent(n);
    task.h.resume();
    while (!task.h.done())
      std::exchange(pending, {}).resume();
    std::printf("%ld\n", task.h.promise().value);
  }
  Task left = parent(7); // destroyed while a child is suspended
  left.h.resume();
  pending.resume();
}
