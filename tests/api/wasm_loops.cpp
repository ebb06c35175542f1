// Coroutines that await in `try` in loops. Compiled for this machine and for WebAssembly (with wasm_runtime.cpp), they pass
// the same numbers to `report`.
typedef __SIZE_TYPE__ size_t;
namespace std {
template <class R, class... A> struct coroutine_traits {
  using promise_type = typename R::promise_type;
};
template <class P = void> struct coroutine_handle;
template <> struct coroutine_handle<void> {
  void *p = nullptr;
  static coroutine_handle from_address(void *a)
  {
    coroutine_handle h;
    h.p = a;
    return h;
  }
  void *address() const { return p; }
  void resume() const { __builtin_coro_resume(p); }
  void destroy() const { __builtin_coro_destroy(p); }
};
template <class P> struct coroutine_handle {
  void *p = nullptr;
  static coroutine_handle from_address(void *a)
  {
    coroutine_handle h;
    h.p = a;
    return h;
  }
  static coroutine_handle from_promise(P &x)
  {
    return from_address(__builtin_coro_promise((char *)&x, alignof(P), true));
  }
  void *address() const { return p; }
  operator coroutine_handle<>() const { return coroutine_handle<>::from_address(p); }
  P &promise() const { return *(P *)__builtin_coro_promise(p, alignof(P), false); }
  void resume() const { __builtin_coro_resume(p); }
  void destroy() const { __builtin_coro_destroy(p); }
};
struct suspend_always {
  bool await_ready() noexcept { return false; }
  void await_suspend(coroutine_handle<>) noexcept {}
  void await_resume() noexcept {}
};
} // namespace std

extern "C" void report(int);

struct Wrong {
  int code;
};

struct Guard {
  int n;
  ~Guard() { report(n); }
};

static unsigned state;

// Suspends if `ready` is false; throws on resumption where `throws` is set.
struct Step {
  int value;
  bool ready, throws;
  bool await_ready() { return ready; }
  void await_suspend(std::coroutine_handle<>) {}
  int await_resume()
  {
    if (throws)
      throw Wrong{value};
    return value;
  }
};

// Each bit decides whether a step is ready, and whether it throws.
static Step step(int value)
{
  state = state * 1103515245 + 12345;
  return Step{value, (state >> 16 & 1) != 0, (state >> 17 & 3) == 0};
}

struct Task {
  struct promise_type {
    int value = 0;
    bool done = false;
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Last {
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<promise_type> h) noexcept { h.promise().done = true; }
      void await_resume() noexcept {}
    };
    Last final_suspend() noexcept { return {}; }
    void return_value(int v) { value = v; }
    void unhandled_exception() { value = -1; }
  };
  std::coroutine_handle<promise_type> h;
  ~Task() { h.destroy(); }
};

// One await in a try in a loop.
Task one(int n)
{
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    Guard g{100 + i};
    try {
      sum += co_await step(i);
    } catch (Wrong &w) {
      sum -= w.code;
      report(sum);
    }
  }
  co_return sum;
}

// Several awaits in nested try blocks.
Task nested(int n)
{
  int sum = 0;
  Guard g0{7};
  for (int i = 0; i < n; ++i) {
    Guard g{200 + i};
    try {
      sum += co_await step(i);
      try {
        sum += co_await step(i + 1);
      } catch (Wrong &w) {
        sum -= 2 * w.code;
      }
      sum += co_await step(i + 2);
    } catch (Wrong &w) {
      sum += 3 * w.code;
      report(sum);
    }
  }
  co_return sum;
}

// Nested loops, awaits in both and in between, and exceptions that leave the inner loop.
Task loops(int n)
{
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    Guard g{300 + i};
    try {
      sum += co_await step(i);
      for (int j = 0; j < i; ++j) {
        Guard h{400 + j};
        try {
          sum += co_await step(j);
        } catch (Wrong &w) {
          report(-w.code);
          if (w.code & 1)
            throw;
        }
        sum += co_await step(1);
      }
      sum += co_await step(10);
    } catch (Wrong &) {
      report(sum);
    }
  }
  co_return sum;
}

// Two loops in a row, and an exception that nothing catches.
Task rows(int n)
{
  int sum = 0;
  for (int i = 0; i < n; ++i)
    try {
      sum += co_await step(i);
    } catch (Wrong &) {
      --sum;
    }
  for (int i = 0; i < n; ++i) {
    Guard g{500 + i};
    try {
      report(co_await step(sum));
    } catch (Wrong &) {
      sum += 5;
    }
  }
  co_return sum + co_await step(1);
}

// A try around the loop, and a retry that begins with the handler.
Task retry(int n)
{
  int tries = 0, sum = 0;
again:
  try {
    while (tries < n) {
      Guard g{600 + tries};
      ++tries;
      sum += co_await step(tries);
    }
  } catch (Wrong &w) {
    report(w.code);
    goto again;
  }
  co_return sum;
}

template <class F> static void drive(F f, unsigned seed, int most)
{
  state = seed;
  Task t = f(5);
  for (int i = 0; i < most && !t.h.promise().done; ++i) {
    t.h.resume();
    report(10000 + i);
  }
  report(t.h.promise().done ? t.h.promise().value : -1000);
}

// Every few seeds are destroyed before they end.
extern "C" void run(int seed)
{
  int most = seed % 3 ? 1000 : seed % 7;
  drive(one, seed, most);
  drive(nested, seed, most);
  drive(loops, seed, most);
  drive(rows, seed, most);
  drive(retry, seed, most);
}
