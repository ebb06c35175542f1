// The interface of this program's two modules: a promise's layout, and functions that store and resume handles.
#ifndef REGISTRY_H
#define REGISTRY_H
#include <coroutine>

struct work {
  struct promise_type {
    int progress = 0;
    long result = 0;
    work get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(long r) noexcept { result = r; }
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> h;
};

struct enlist { // suspends and leaves the handle with the registry
  int priority;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<work::promise_type> h);
  int await_resume() { return priority; }
};

int registry_turn();                      // resumes all enlisted now, highest priority first; returns their number
void registry_drop();                     // destroys all still enlisted
work registry_audit(work watched, int n); // a coroutine defined by the registry
bool finished(std::coroutine_handle<> h);
#endif
