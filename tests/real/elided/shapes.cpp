// Awaits in every kind of control flow: conditional, in loops, recursive, sequential, nested.
#include "task.h"
volatile int sink = 1;
static Task<int> leaf(int x) {
  sink = x;
  co_return x + sink;
}
static Task<int> pair(int x) {
  int a = co_await leaf(x);
  int b = co_await leaf(a);
  co_return a + b;
}
static Task<int> cond(int x) {
  if (x & 1)
    co_return co_await leaf(x);
  if (x == 6)
    co_return co_await pair(x);
  int s = co_await leaf(x / 2);
  co_return s;
}
static Task<int> loop(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    s += co_await cond(i);
    if (s > 1000000)
      s += co_await leaf(-i);
  }
  co_return s;
}
static Task<int> rec(int n) {
  if (n == 0)
    co_return co_await leaf(0);
  int a = co_await rec(n - 1);
  co_return a + co_await pair(n);
}
static Task<int> mutb(int n);
static Task<int> muta(int n) {
  if (n <= 0)
    co_return 0;
  co_return co_await leaf(n) + co_await mutb(n - 1);
}
static Task<int> mutb(int n) {
  if (n <= 0)
    co_return 1;
  co_return co_await leaf(n) + co_await muta(n - 2);
}
static Task<int> nested(int n) { co_return co_await leaf(co_await leaf(co_await leaf(n))); }
static Task<int> sw(int n) {
  switch (n % 4) {
  case 0:
    co_return co_await leaf(1);
  case 1:
    co_return co_await pair(2);
  case 2: {
    int k = co_await nested(3);
    co_return k;
  }
  default:
    co_return co_await cond(n);
  }
}
static Task<int> likely(int n) {
  if (__builtin_expect(n > 3, 1))
    co_return co_await leaf(n);
  co_return co_await pair(n);
}
static Task<int> brk(int n) {
  for (int i = 0;; i++) {
    int k = co_await leaf(i);
    if (k > n)
      co_return k;
    if (i == 50)
      break;
  }
  co_return co_await nested(n);
}
int main() {
  int total = 0;
  auto run = [&](Task<int> t) {
    t.h.resume();
    while (!t.h.done())
      t.h.resume();
    std::printf("%d\n", t.h.promise().v);
  };
  for (int i = 0; i < 9; i++) {
    run(pair(i));
    run(cond(i));
    run(loop(i));
    run(rec(i));
    run(muta(i));
    run(nested(i));
    run(sw(i));
    run(likely(i));
    run(brk(i));
  }
}
