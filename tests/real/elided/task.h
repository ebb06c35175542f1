// A task that may be elided into its awaiter.
#pragma once
#include <coroutine>
#include <cstdio>
#include <exception>
#include <utility>
template <typename T> struct [[clang::coro_await_elidable]] Task {
  struct promise_type {
    T v{};
    std::coroutine_handle<> cont = std::noop_coroutine();
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Fin {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept { return h.promise().cont; }
      void await_resume() noexcept {}
    };
    Fin final_suspend() noexcept { return {}; }
    void return_value(T x) { v = x; }
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> h;
  explicit Task(std::coroutine_handle<promise_type> h) : h(h) {}
  Task(Task &&o) : h(std::exchange(o.h, nullptr)) {}
  ~Task() {
    if (h)
      h.destroy();
  }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> c) {
    h.promise().cont = c;
    return h;
  }
  T await_resume() { return h.promise().v; }
};
extern volatile int sink;
