// A generator that owns its coroutine, as in libraries.
#pragma once
#include <coroutine>
#include <exception>
#include <utility>

#include "outside.h"

template <typename T> struct generator {
  struct promise_type {
    T value;
    generator get_return_object() { return generator(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T given) {
      value = given;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  using handle = std::coroutine_handle<promise_type>;

  struct end_of {};
  struct iterator {
    handle of;
    iterator &operator++() {
      of.resume();
      return *this;
    }
    T operator*() const { return of.promise().value; }
    bool operator==(end_of) const { return of.done(); }
  };

  handle of;
  generator() = default;
  explicit generator(handle of) : of(of) {}
  generator(generator &&other) noexcept : of(std::exchange(other.of, {})) {}
  generator &operator=(generator &&other) noexcept {
    std::swap(of, other.of);
    return *this;
  }
  ~generator() {
    if (of)
      of.destroy();
  }
  bool next() {
    of.resume();
    return !of.done();
  }
  T value() const { return of.promise().value; }
  iterator begin() {
    of.resume();
    return {of};
  }
  end_of end() { return {}; }
};

inline generator<int> upto(int limit) {
  for (int i = 0; i < limit; i++)
    co_yield i;
}
