// For Windows, where handlers and cleanups are funclets: parameters, locals and awaits that may throw. Without headers.
namespace std {
using size_t = decltype(sizeof 0);
template <typename R, typename... A> struct coroutine_traits {
  using promise_type = typename R::promise_type;
};
template <typename P = void> struct coroutine_handle;
template <> struct coroutine_handle<void> {
  void *p;
  static coroutine_handle from_address(void *a) { return {a}; }
  void *address() const { return p; }
  void resume() const { __builtin_coro_resume(p); }
  void destroy() const { __builtin_coro_destroy(p); }
  bool done() const { return __builtin_coro_done(p); }
};
template <typename P> struct coroutine_handle : coroutine_handle<> {
  static coroutine_handle from_address(void *a) {
    coroutine_handle h;
    h.p = a;
    return h;
  }
  static coroutine_handle from_promise(P &q) { return from_address(__builtin_coro_promise(&q, alignof(P), true)); }
};
struct suspend_always {
  bool await_ready() noexcept { return false; }
  void await_suspend(coroutine_handle<>) noexcept {}
  void await_resume() noexcept {}
};
} // namespace std
void *operator new(std::size_t);
void operator delete(void *) noexcept;
void operator delete(void *, std::size_t) noexcept;
void use(char *, int);
void note(int);
struct W {
  int n;
  W(int);
  ~W();
};
struct T {
  W w{0};
  T(T &&o);
  T(int);
  ~T() noexcept(false);
};
struct A {
  bool await_ready();
  std::coroutine_handle<> await_suspend(std::coroutine_handle<>);
  void await_resume();
  ~A();
};
struct Task {
  struct promise_type {
    W w{9};
    Task get_return_object();
    std::suspend_always initial_suspend() noexcept;
    std::suspend_always final_suspend() noexcept;
    void return_void();
    void unhandled_exception();
  };
  std::coroutine_handle<promise_type> h;
};
Task f(T t, T u, int n) {
  W a(1);
  char *buf = (char *)nullptr;
  use(buf, n);
  try {
    W b(2);
    co_await A();
    char *more = (char *)nullptr;
    use(more, n);
    co_await std::suspend_always();
    use(more, n);
    note(n);
  } catch (int x) {
    W c(3);
    note(x);
    {
      char *third = (char *)nullptr;
      use(third, x);
    }
  }
  co_await A();
  use(buf, n);
}
