// Common code of these programs: errors to throw, and objects that trace and count their lives.
#pragma once
#include <coroutine>
#include <cstdio>
#include <exception>
#include <utility>

struct Error {
  int code;
};

inline int live = 0;

struct Witness {
  const char *name;
  explicit Witness(const char *given) : name(given) {
    ++live;
    std::printf("    + %s\n", name);
  }
  Witness(const Witness &) = delete;
  ~Witness() {
    --live;
    std::printf("    - %s\n", name);
  }
};

// Prints the result of an action: completed, or the error that it threw.
template <typename Action> bool told(const char *what, Action &&action) {
  std::printf("  %s\n", what);
  try {
    action();
    std::printf("  %s: ended\n", what);
    return true;
  } catch (const Error &error) {
    std::printf("  %s: threw %d\n", what, error.code);
    return false;
  }
}

// Owns a coroutine with the promise type P.
template <typename P> struct TaskOf {
  std::coroutine_handle<P> handle;
  explicit TaskOf(std::coroutine_handle<P> h) : handle(h) {}
  TaskOf(TaskOf &&o) noexcept : handle(std::exchange(o.handle, nullptr)) {}
  ~TaskOf() {
    if (handle)
      handle.destroy();
  }
  bool step() {
    return told("resume", [&] { handle.resume(); });
  }
};

inline void balance(const char *what) { std::printf("%s: %d live\n", what, live); }
