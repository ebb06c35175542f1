// Parameters with throwing destructors: the cleanup after such an error also runs when a coroutine ended by another
// error is destroyed. The promise allocates from a pool. Clang's builds
// above -O0 destroy locals twice; destructors_that_throw.expected has the correct output.
// Lowered before it is optimised: its allocations are printed, and none may be elided.
#include "witness.h"

#include <memory>
#include <string>

struct Pool {
  char mem[4][4096];
  bool used[4];
} static pool;
struct Prom {
  Witness w{"promise"};
  static void *operator new(std::size_t n) {
    if (n <= 4096)
      for (int i = 0; i < 4; i++)
        if (!pool.used[i]) {
          pool.used[i] = true;
          std::printf("pool+\n");
          return pool.mem[i];
        }
    throw Error{99};
  }
  static void operator delete(void *p) {
    for (int i = 0; i < 4; i++)
      if (p == pool.mem[i]) {
        std::printf("pool-\n");
        pool.used[i] = false;
        return;
      }
    std::puts("BAD DELETE");
  }
  TaskOf<Prom> get_return_object() { return TaskOf<Prom>(std::coroutine_handle<Prom>::from_promise(*this)); }
  std::suspend_always initial_suspend() noexcept { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  void return_void() {}
  void unhandled_exception() {
    std::puts("  unhandled");
    throw;
  }
};
static bool dtor_throws;
struct P {
  Witness w;
  P(const char *n) : w(n) {}
  P(P &&) : w("copy") {}
  ~P() noexcept(false) {
    if (dtor_throws && !std::uncaught_exceptions())
      throw Error{77};
  }
};
template <typename... A> struct std::coroutine_traits<TaskOf<Prom>, A...> {
  using promise_type = Prom;
};
static TaskOf<Prom> f(P a, int code) {
  Witness l("local");
  co_await std::suspend_always{};
  if (code)
    throw Error{code};
}
static TaskOf<Prom> never(P a, P b, int code) {
  Witness l("local");
  P c("c");
  co_await std::suspend_always{};
  throw Error{code};
}
static TaskOf<Prom> ftry(P a, int code) try {
  Witness l("local");
  co_await std::suspend_always{};
  if (code)
    throw Error{code};
} catch (const Error &e) {
  std::printf(" fcatch %d\n", e.code);
  if (e.code == 2)
    throw;
}
static TaskOf<Prom> dt(P a, int code) {
  {
    dtor_throws = true;
    P x("x");
    Witness y("y");
    co_await std::suspend_always{};
  }
  co_await std::suspend_always{};
}
int main() {
  for (int code = 0; code < 3; code++)
    for (int steps = 0; steps < 4; steps++) {
      auto run = [&](const char *n, auto make) {
        std::puts(n);
        dtor_throws = false;
        {
          auto t = make();
          for (int i = 0; i < steps && !t.handle.done(); i++)
            t.step();
          dtor_throws = false;
          std::printf("done %d\n", t.handle.done());
        }
        balance("x");
      };
      run("f", [&] { return f(P("p"), code); });
      run("never", [&] { return never(P("p"), P("q"), code); });
      run("ftry", [&] { return ftry(P("p"), code); });
      run("dt", [&] { return dt(P("p"), code); });
    }
}
