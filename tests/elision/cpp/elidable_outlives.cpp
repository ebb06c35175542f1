// It is marked elidable but outlives its awaiter: the mark is wrong.
#include <cstdlib>
#include "bare.h"
struct [[clang::coro_await_elidable]] loose {
  struct promise_type {
    loose get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> of;
  bool await_ready() noexcept { return true; }
  void await_suspend(std::coroutine_handle<>) noexcept {}
  std::coroutine_handle<> await_resume() noexcept { return of; }
};
static loose late(int value) {
  say(value);
  co_return;
}
static std::coroutine_handle<> published;
struct root_task : std::coroutine_handle<> {
  struct promise_type { // its own frame is not among those counted
    static void *operator new(std::size_t size) { return std::malloc(size); }
    static void operator delete(void *memory) { std::free(memory); }
    root_task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
static root_task root(int value) { published = co_await late(value); }
int main() {
  auto handle = root(given(3));
  handle.resume();
  handle.destroy();
  published.resume();
  published.destroy();
}
