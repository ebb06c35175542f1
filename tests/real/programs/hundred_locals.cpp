// A hundred locals of many types, all live across a dozen suspends in a loop, each iteration mixing each of them
// with its neighbours: a slot that is shared, misplaced or not reloaded changes the sums.
#include <coroutine>
#include <cstdint>
#include <cstdio>

struct stepper {
  struct promise_type {
    std::uint64_t seen = 0;
    stepper get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(std::uint64_t v) noexcept {
      seen = v;
      return {};
    }
    void return_void() noexcept {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> h;
};

#define TEN(X, t) X(t##0) X(t##1) X(t##2) X(t##3) X(t##4) X(t##5) X(t##6) X(t##7) X(t##8) X(t##9)
#define ALL(X) TEN(X, a) TEN(X, b) TEN(X, c) TEN(X, d) TEN(X, e) TEN(X, f) TEN(X, g) TEN(X, i) TEN(X, j) TEN(X, k)

static std::uint64_t next(std::uint64_t &s) {
  s ^= s << 13;
  s ^= s >> 7;
  return s ^= s << 17;
}

static stepper scalars(std::uint64_t seed) {
#define DECLARE(v) std::uint64_t v = next(seed);
  ALL(DECLARE)
  for (int round = 0; round < 6; ++round) {
    std::uint64_t carry = static_cast<std::uint64_t>(round);
#define MIX(v)                                                                                                         \
  v = v * 0x9E3779B97F4A7C15u + carry;                                                                                 \
  carry = v >> 29;
    ALL(MIX)
    co_yield carry;
    std::uint64_t sum = 0;
#define SUM(v) sum = sum * 33 + v;
    ALL(SUM)
    co_yield sum;
  }
}

struct point {
  float x, y;
  short tag;
};

static stepper types(int n) {
  bool flag = n & 1;
  char c = static_cast<char>('a' + n);
  short s = static_cast<short>(n * 7);
  float f = 0.25f * static_cast<float>(n);
  double d = 1.0 / (n + 1);
  long double ld = 3.0L * n;
  __int128 wide = (static_cast<__int128>(n) << 80) + 5;
  point p{f, -f, s};
  int array[9];
  const char *text = "fixed text";
  point *to_p = &p;
  int &last = array[8];
  for (int i = 0; i < 9; ++i) {
    array[i] = i * n;
  }
  for (int round = 0; round < 5; ++round) {
    co_yield static_cast<std::uint64_t>(c) + static_cast<std::uint64_t>(s);
    flag = !flag;
    c = static_cast<char>(c + flag);
    s = static_cast<short>(s - c);
    f += static_cast<float>(d);
    co_yield static_cast<std::uint64_t>(f * 1000);
    d *= 1.25;
    ld += static_cast<long double>(f);
    wide = wide * 3 + text[round];
    to_p->x += f;
    p.tag = static_cast<short>(p.tag + flag);
    last += array[round];
    co_yield static_cast<std::uint64_t>(wide >> 64) ^ static_cast<std::uint64_t>(wide);
    std::printf("%d %d %d %.3f %.3f %.3Lf %.3f %d %d\n", flag, c, s, static_cast<double>(f), d, ld,
                static_cast<double>(p.x), p.tag, array[8]);
  }
}

static void drive(stepper s) {
  for (s.h.resume(); !s.h.done(); s.h.resume()) {
    std::printf("%016llx\n", static_cast<unsigned long long>(s.h.promise().seen));
  }
  s.h.destroy();
}

int main() {
  drive(scalars(42));
  drive(types(3));
  stepper left = scalars(7);
  left.h.resume();
  left.h.resume();
  std::printf("left at %016llx\n", static_cast<unsigned long long>(left.h.promise().seen));
  left.h.destroy();
}
