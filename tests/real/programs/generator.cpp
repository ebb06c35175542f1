// A generator read by a range-for, and generators piped through generators: several frames alive at once, each holding
// the handle of the next, some abandoned before they are done.
#include <coroutine>
#include <cstdio>
#include <utility>

template <class T> struct generator {
  struct promise_type {
    T value{};
    generator get_return_object() { return generator{handle::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  using handle = std::coroutine_handle<promise_type>;

  explicit generator(handle h) : coro(h) {}
  generator(generator &&other) noexcept : coro(std::exchange(other.coro, {})) {}
  generator &operator=(generator &&other) noexcept {
    std::swap(coro, other.coro);
    return *this;
  }
  ~generator() {
    if (coro) {
      coro.destroy();
    }
  }
  struct sentinel {};
  struct iterator {
    handle coro;
    iterator &operator++() {
      coro.resume();
      return *this;
    }
    T operator*() const { return coro.promise().value; }
    bool operator!=(sentinel) const { return !coro.done(); }
  };
  iterator begin() {
    coro.resume();
    return {coro};
  }
  sentinel end() { return {}; }
  handle coro;
};

static generator<int> fibonacci(int n) {
  int a = 0, b = 1;
  for (int i = 0; i < n; ++i) {
    co_yield a;
    a = std::exchange(b, a + b);
  }
}

static generator<unsigned> naturals(unsigned from) {
  for (;;) {
    co_yield from++;
  }
}

static generator<unsigned> without_multiples(generator<unsigned> source, unsigned p) {
  for (unsigned n : source) {
    if (n % p) {
      co_yield n;
    }
  }
}

static generator<unsigned> primes() {
  generator<unsigned> left = naturals(2);
  for (int i = 0; i < 9; ++i) {
    left.coro.resume();
    unsigned p = left.coro.promise().value;
    co_yield p;
    left = without_multiples(std::move(left), p);
  }
}

int main() {
  for (int f : fibonacci(12)) {
    std::printf("%d ", f);
  }
  std::puts("");
  int taken = 0;
  for (int f : fibonacci(1000)) {
    if (++taken > 5) {
      break;
    }
    std::printf("%d ", f);
  }
  std::puts("");
  for (unsigned p : primes()) {
    std::printf("%u ", p);
  }
  std::puts("");
  for (int f : fibonacci(0)) {
    std::printf("never %d\n", f);
  }
}
