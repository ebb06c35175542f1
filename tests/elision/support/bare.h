// A coroutine that returns its bare handle; its promise holds a number.
#pragma once
#include <coroutine>
#include <exception>

#include "outside.h"

struct state;
struct bare : std::coroutine_handle<state> {
  using promise_type = state;
};
struct state {
  int value = 0;
  bare get_return_object() { return {std::coroutine_handle<state>::from_promise(*this)}; }
  std::suspend_always initial_suspend() noexcept { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  std::suspend_always yield_value(int given) noexcept {
    value = given;
    return {};
  }
  void return_void() {}
  void unhandled_exception() { throw; }
};

inline bare count(int limit) {
  for (int i = 1; i <= limit; i++)
    co_yield i * i;
}
