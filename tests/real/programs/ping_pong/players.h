#ifndef PLAYERS_H
#define PLAYERS_H
#include <coroutine>
#include <utility>

template <class T> struct task {
  struct promise_type {
    T value{};
    std::coroutine_handle<> next = std::noop_coroutine();
    task get_return_object() { return task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct hand_over {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept { return h.promise().next; }
      void await_resume() noexcept {}
    };
    hand_over final_suspend() noexcept { return {}; }
    void return_value(T v) noexcept { value = v; }
    void unhandled_exception() {}
  };
  explicit task(std::coroutine_handle<promise_type> h) : h(h) {}
  task(task &&o) noexcept : h(std::exchange(o.h, {})) {}
  ~task() {
    if (h) {
      h.destroy();
    }
  }
  bool await_ready() noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> who) noexcept {
    h.promise().next = who;
    return h;
  }
  T await_resume() noexcept { return h.promise().value; }
  std::coroutine_handle<promise_type> h;
};

task<unsigned> ping(unsigned n);
task<unsigned> pong(unsigned n);
task<unsigned long> rally(unsigned rounds, unsigned depth);
#endif
