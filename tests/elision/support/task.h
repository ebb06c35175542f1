// A lazy task: its awaiter is resumed at its end. TASK_IS may declare it elidable into its awaiter.
#pragma once
#include <coroutine>
#include <exception>
#include <utility>

#include "outside.h"

#ifndef TASK_IS
#define TASK_IS
#endif
#define ELIDABLE [[clang::coro_await_elidable]]

template <typename T> struct TASK_IS task {
  struct promise_type {
    T value{};
    std::exception_ptr error;
    std::coroutine_handle<> then = std::noop_coroutine();
    task get_return_object() { return task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct over {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> of) noexcept { return of.promise().then; }
      void await_resume() noexcept {}
    };
    over final_suspend() noexcept { return {}; }
    void return_value(T given) { value = given; }
    void unhandled_exception() { error = std::current_exception(); }
  };
  using handle = std::coroutine_handle<promise_type>;

  handle of;
  explicit task(handle of) : of(of) {}
  task(task &&other) noexcept : of(std::exchange(other.of, {})) {}
  ~task() {
    if (of)
      of.destroy();
  }
  bool await_ready() noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> who) noexcept {
    of.promise().then = who;
    return of;
  }
  T await_resume() {
    if (of.promise().error)
      std::rethrow_exception(of.promise().error);
    return of.promise().value;
  }
};

template <typename T> T run(task<T> whole) {
  while (!whole.of.done())
    whole.of.resume();
  return whole.await_resume();
}
