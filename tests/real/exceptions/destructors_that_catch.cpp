// The destructors of the promise and a parameter catch exceptions, also after an error ended the coroutine:
// inlined, their handlers return to the destroy path. Clang's builds destroy a final awaiter that does not
// exist, or locals twice; destructors_that_catch.expected has the correct output.
#include "witness.h"

#include <memory>
#include <string>

static int fail = 1;
[[gnu::noinline]] static void may_throw(int n) {
  if (fail)
    throw Error{n};
  std::puts("   calm");
}
struct Final {
  Witness w{"final awaiter"};
  bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<>) noexcept {}
  void await_resume() noexcept {}
};
template <typename F> struct Prom {
  Witness w{"promise"};
  std::string s = "a string too long to be kept in place for small";
  [[gnu::always_inline]] ~Prom() {
    try {
      may_throw(7);
    } catch (const Error &e) {
      std::printf("   caught %d\n", e.code);
    }
  }
  TaskOf<Prom> get_return_object() { return TaskOf<Prom>(std::coroutine_handle<Prom>::from_promise(*this)); }
  std::suspend_always initial_suspend() noexcept { return {}; }
  F final_suspend() noexcept { return {}; }
  void return_void() {}
  void unhandled_exception() { throw; }
};
struct Param {
  Witness w;
  int *p = new int(5);
  explicit Param(const char *n) : w(n) {}
  Param(Param &&o) : w("copy"), p(std::exchange(o.p, nullptr)) {}
  [[gnu::always_inline]] ~Param() {
    for (int i = 0; i < 2; i++)
      try {
        may_throw(i);
      } catch (const Error &e) {
        std::printf("   param caught %d\n", e.code);
        if (i == 1)
          break;
      }
    delete p;
  }
};
template <> struct std::coroutine_traits<TaskOf<Prom<Final>>, Param, int> {
  using promise_type = Prom<Final>;
};
template <> struct std::coroutine_traits<TaskOf<Prom<std::suspend_always>>, Param, int> {
  using promise_type = Prom<std::suspend_always>;
};
static TaskOf<Prom<Final>> f(Param a, int code) {
  Witness l("local");
  co_await std::suspend_always{};
  if (code)
    throw Error{code + *a.p};
}
static TaskOf<Prom<std::suspend_always>> g(Param a, int code) {
  Witness l("local");
  co_await std::suspend_always{};
  throw Error{code + *a.p};
}
int main() {
  for (fail = 0; fail < 2; fail++)
    for (int code = 0; code < 2; code++)
      for (int steps = 0; steps < 3; steps++) {
        {
          auto t = f(Param("p"), code);
          for (int i = 0; i < steps && !t.handle.done(); i++)
            t.step();
          std::printf("done %d\n", t.handle.done());
        }
        {
          auto t = g(Param("p"), code);
          for (int i = 0; i < steps && !t.handle.done(); i++)
            t.step();
          std::printf("done %d\n", t.handle.done());
        }
        balance("x");
      }
}
