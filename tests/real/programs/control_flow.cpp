// Suspends in every kind of control flow: do-while, switch with fall-through, goto into and out of loops, ternaries,
// nested breaks and continues, loop-carried values of several kinds, an endless loop left by co_return.
#include <coroutine>
#include <cstdio>

struct stream {
  struct promise_type {
    long out = 0, in = 0;
    stream get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    auto yield_value(long v) noexcept {
      out = v;
      struct echo {
        promise_type &p;
        bool await_ready() noexcept { return false; }
        void await_suspend(std::coroutine_handle<>) noexcept {}
        long await_resume() noexcept { return p.in; } // the value sent by the caller
      };
      return echo{*this};
    }
    void return_value(long v) noexcept { out = -v; }
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> h;
};

static stream machine() {
  long state = 0, total = 0, steps = 0;
  for (;;) {
    ++steps;
    switch (state) {
    case 0:
      state = co_yield 0;
      total += 1;
      break;
    case 1:
      total += co_yield 10;
      [[fallthrough]];
    case 2:
      total += 2 * (co_yield 20);
      state = total % 4;
      break;
    case 3:
      do {
        total -= co_yield total;
      } while (total > 40 && total % 5 != 0);
      state = 4;
      break;
    default:
      if (steps > 14) {
        co_return total;
      }
      state = (total ^ steps) & 3;
    }
  }
}

static stream jumps(int n) {
  int i = 0;
  long a = 1, b = 2, c = 3;
  goto middle;
again:
  a = (co_yield a) + b;
  if (a > 100) {
    a %= 17;
    goto out;
  }
middle:
  for (; i < n; ++i) {
    long old = a;
    a = b;
    b = c;
    c = i & 1 ? (co_yield c) + old : old - (co_yield -c);
    if (i % 3 == 1) {
      continue;
    }
    for (int j = 0; j < 3; ++j) {
      if (j == 2 && i % 2) {
        goto again;
      }
      b += co_yield j;
      if (b % 7 == 0) {
        break;
      }
    }
    ++i;
  }
out:
  co_return a + b + c;
}

static stream collatz(unsigned n) {
  unsigned high = n, turns = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    if (n > high) {
      high = n;
      co_yield static_cast<long>(high);
    }
    ++turns;
  }
  co_return static_cast<long>(turns);
}

static void drive(const char *name, stream s) {
  long x = 1;
  std::printf("%s:", name);
  for (int i = 0; i < 200 && !s.h.done(); ++i) {
    s.h.promise().in = (x = (x * 5 + 3) % 16);
    s.h.resume();
    std::printf(" %ld", s.h.promise().out);
  }
  std::printf(" %s\n", s.h.done() ? "done" : "left");
  s.h.destroy();
}

int main() {
  drive("machine", machine());
  drive("jumps", jumps(12));
  drive("collatz", collatz(27));
  drive("collatz", collatz(1));
}
