// Coroutines that are lambdas, members, templates and mutually recursive; handles compared, hashed by address, kept in
// arrays and erased to void and back.
#include <coroutine>
#include <cstdio>
#include <new>
#include <utility>

template <class T> struct lazy {
  struct promise_type {
    union {
      T value;
    };
    bool set = false;
    promise_type() {}
    ~promise_type() {
      if (set) {
        value.~T();
      }
    }
    lazy get_return_object() { return lazy{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    template <class U> void return_value(U &&u) {
      new (&value) T(std::forward<U>(u));
      set = true;
    }
    void unhandled_exception() {}
  };
  explicit lazy(std::coroutine_handle<promise_type> h) : h(h) {}
  lazy(lazy &&o) noexcept : h(std::exchange(o.h, {})) {}
  ~lazy() {
    if (h) {
      h.destroy();
    }
  }
  T &get() {
    while (!h.done()) {
      h.resume();
    }
    return h.promise().value;
  }
  bool await_ready() { return h.done(); }
  bool await_suspend(std::coroutine_handle<>) {
    get();
    return false;
  }
  T &await_resume() { return h.promise().value; }
  std::coroutine_handle<promise_type> h;
};

struct text {
  char data[24];
  text(const char *s) {
    std::snprintf(data, sizeof data, "%s", s);
  }
  text(const text &o) { std::snprintf(data, sizeof data, "<%.20s>", o.data); }
  ~text() { std::printf("~%s ", data); }
};

static lazy<text> make(int n) {
  text local(n % 2 ? "odd" : "even");
  co_await std::suspend_always{};
  co_return local;
}

static lazy<int> is_odd(unsigned n);
static lazy<int> is_even(unsigned n) {
  if (n == 0) {
    co_return 1;
  }
  co_return co_await is_odd(n - 1);
}
static lazy<int> is_odd(unsigned n) {
  if (n == 0) {
    co_return 0;
  }
  co_return co_await is_even(n - 1);
}

template <class A, class B> static lazy<long> add(A a, B b) {
  auto left = [a]() -> lazy<A> { co_return a; };
  auto right = [&b](int times) -> lazy<B> {
    for (int i = 0; i < times; ++i) {
      co_await std::suspend_always{};
      b = static_cast<B>(b + 1);
    }
    co_return b;
  };
  long sum = static_cast<long>(co_await left());
  sum += static_cast<long>(co_await right(3));
  co_return sum;
}

struct counter {
  int base;
  lazy<int> by(int n) {
    for (int i = 0; i < n; ++i) {
      base += i;
      co_await std::suspend_always{};
    }
    co_return base;
  }
};

int main() {
  {
    lazy<text> a = make(1), b = make(2);
    std::printf("%s %s\n", b.get().data, a.get().data);
    lazy<text> never = make(3);
    never.h.resume();
  }
  std::puts("");
  std::printf("%d %d\n", is_even(25).get(), is_odd(25).get());
  std::printf("%ld %ld\n", add(3, 4L).get(), add(2.75, static_cast<short>(5)).get());
  counter c{100};
  lazy<int> x = c.by(4), y = c.by(3);
  x.h.resume();
  y.h.resume();
  std::printf("%d %d\n", x.get(), y.get());

  lazy<int> many[] = {is_even(1), is_even(2), is_odd(3), is_even(4)};
  std::coroutine_handle<> erased[4];
  for (int i = 0; i < 4; ++i) {
    erased[i] = std::coroutine_handle<>::from_address(many[i].h.address());
  }
  int equal = 0;
  for (auto &p : many) {
    for (auto q : erased) {
      equal += q == p.h;
    }
  }
  for (int i = 3; i >= 0; --i) {
    erased[i]();
    std::printf("%d:%d ", i, many[i].h.promise().value);
  }
  std::printf("equal %d\n", equal);
}
