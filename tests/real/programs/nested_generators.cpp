// Generators as locals of generators, stepped in lockstep: zip, and triples from three nested loops. The inner
// generators are created and destroyed while the outer ones stay suspended.
#include <coroutine>
#include <cstdio>
#include <utility>

struct gen {
  struct promise_type {
    long current = -1;
    gen get_return_object() { return gen{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long v) noexcept {
      current = v;
      return {};
    }
    void return_void() noexcept {}
    void unhandled_exception() {}
  };
  explicit gen(std::coroutine_handle<promise_type> h) : h(h) {}
  gen(const gen &) = delete;
  ~gen() { h.destroy(); }
  bool next() {
    h.resume();
    return !h.done();
  }
  long value() const { return h.promise().current; }
  std::coroutine_handle<promise_type> h;
};

static gen range(long from, long to, long step) {
  for (long i = from; i < to; i += step) {
    co_yield i;
  }
}

static gen zip_sum(long n) {
  gen up = range(0, n, 1), odd = range(1, 3 * n, 2);
  while (up.next() && odd.next()) {
    co_yield up.value() * 1000 + odd.value();
  }
}

static gen triples(long limit) {
  gen as = range(1, limit, 1);
  while (as.next()) {
    long a = as.value();
    gen bs = range(a, limit, 1);
    while (bs.next()) {
      long b = bs.value();
      gen cs = range(b, limit, 1);
      while (cs.next()) {
        long c = cs.value();
        if (a * a + b * b == c * c) {
          co_yield a;
          co_yield b;
          co_yield c;
        }
        if (c * c > a * a + b * b) {
          break;
        }
      }
    }
  }
}

int main() {
  gen z = zip_sum(6);
  while (z.next()) {
    std::printf("%ld ", z.value());
  }
  std::puts("");
  gen t = triples(22);
  while (t.next()) {
    long a = t.value();
    t.next();
    long b = t.value();
    t.next();
    std::printf("(%ld %ld %ld) ", a, b, t.value());
  }
  std::puts("");
  gen abandoned = triples(100);
  for (int i = 0; i < 7; ++i) {
    abandoned.next();
  }
  std::printf("abandoned at %ld\n", abandoned.value());
}
