// Variables of unknown size, and arrays, that live across suspends: LLVM's own passes refuse the former.
#include "../exceptions/witness.h"
#include <cstring>
struct G {
  struct promise_type {
    int v;
    G get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int x) {
      v = x;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> h;
};
[[gnu::noinline]] static void use(char *p, int n) { std::memset(p, n, n); }
static G f(int n) {
  char *p = (char *)__builtin_alloca(n);
  use(p, n);
  char fixed[24];
  use(fixed, 24);
  co_yield p[n - 1];
  {
    char *q = (char *)__builtin_alloca(2 * n);
    use(q, 2 * n);
    co_yield q[n] + p[0];
  }
  use(p, n);
  for (int i = 0; i < 3; i++) {
    char loop[40];
    use(loop, 30 + i);
    co_yield loop[i] + fixed[i];
  }
}
int main() {
  for (int n = 5; n < 40; n += 7) {
    auto g = f(n);
    while (g.h.resume(), !g.h.done())
      std::printf("%d\n", g.h.promise().v);
    g.h.destroy();
  }
  auto g = f(3);
  g.h.resume();
  g.h.resume();
  g.h.destroy();
}
