// A generator class: a coroutine that yields values to a range-based for loop.
#pragma once
#include <coroutine>
#include <exception>
#include <utility>

template <class T> class Generator {
public:
  struct promise_type {
    T value{};
    Generator get_return_object() { return Generator(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T next) {
      value = std::move(next);
      return {};
    }
    void return_void() noexcept {}
    void unhandled_exception() { throw; }
  };

  struct Iterator {
    std::coroutine_handle<promise_type> handle;
    void operator++() { handle.resume(); }
    const T &operator*() const { return handle.promise().value; }
    bool operator!=(std::nullptr_t) const { return !handle.done(); }
  };

  Generator(Generator &&other) noexcept : handle(std::exchange(other.handle, {})) {}
  ~Generator() {
    if (handle)
      handle.destroy();
  }
  Iterator begin() {
    handle.resume();
    return {handle};
  }
  std::nullptr_t end() { return nullptr; }

private:
  explicit Generator(std::coroutine_handle<promise_type> h) : handle(h) {}
  std::coroutine_handle<promise_type> handle;
};
