// Coroutines with an awaiter that returns the next one to run, shared by two objects of possibly different compilers.
#pragma once
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

// The extent of the stack, at any transfer.
extern std::uintptr_t lowest, highest;
[[gnu::noinline]] void note_stack();

struct fiber {
  struct promise_type {
    std::coroutine_handle<> next = std::noop_coroutine();
    promise_type() {} // of an aggregate the coroutine's first argument would be the first member
    fiber get_return_object() { return fiber{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct awaiter {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept { return self.promise().next; }
        void await_resume() noexcept {}
      };
      return awaiter{};
    }
    void return_void() {}
    void unhandled_exception() {
#if __cpp_exceptions
      throw;
#endif
    }
  };
  std::coroutine_handle<promise_type> handle;
};

// Suspends the coroutine and resumes another.
struct transfer {
  std::coroutine_handle<> to;
  bool await_ready() noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<>) noexcept {
    note_stack();
    return to;
  }
  void await_resume() noexcept {}
};

struct player {
  fiber::promise_type *other;
  long turns = 0;
};

fiber here(player &me, long limit);  // of first.cpp
fiber there(player &me, long limit); // of second.cpp
fiber counts(int &count, int times, std::coroutine_handle<> then); // of second.cpp: suspends each time, then hands over
fiber vanishes(std::coroutine_handle<> *again, int &seen); // of second.cpp: destroys itself while it hands over
