// An exception from a plain call leaves the creator of a coroutine with an escaped handle. The creator has no cleanups,
// so the call has no unwind edge. The catching function resumes the coroutine. Prints 42.
#include <coroutine>
#include <cstdio>
#include <cstring>

struct task {
  struct promise_type {
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() noexcept {}
  };
  std::coroutine_handle<> handle;
};

static std::coroutine_handle<> known;

[[gnu::noinline]] static void publish(std::coroutine_handle<> handle) { known = handle; }

[[gnu::noinline]] static void fail(int n) {
  if (n)
    throw n;
}

[[gnu::noinline]] static void scribble(int byte) {
  volatile char stack[4096];
  for (volatile char &at : stack)
    at = static_cast<char>(byte);
}

static task show(int n) {
  std::printf("%d\n", n);
  co_return;
}

[[gnu::noinline]] static void work(int n) {
  task own = show(41 + n);
  publish(own.handle);
  fail(n);
  own.handle.destroy();
}

int main(int count, char **) {
  try {
    work(count);
  } catch (int) {
    scribble(count);
    known.resume();
    known.destroy();
  }
}
