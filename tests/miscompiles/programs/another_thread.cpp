// A coroutine starts on one thread and is resumed on another. The address of a thread-local variable before the suspend
// differs from the one after it. The coroutine computes the first, and an inlined function the second. Prints "0 0".
#include <coroutine>
#include <pthread.h>
#include <stdio.h>

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

static thread_local int numbers[100], others[100];
static int *other(int n) { return &others[n]; }

static Task task(int n) {
  int *number = &numbers[n], *another = other(n);
  co_await std::suspend_always{};
  printf("%d %d\n", number == &numbers[n], another == other(n));
}

static void *go_on(void *handle) {
  std::coroutine_handle<>::from_address(handle).resume();
  return nullptr;
}

int main() {
  Task begun = task(3);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, go_on, begun.handle.address()) || pthread_join(thread, nullptr))
    return 1;
  begun.handle.destroy();
}
