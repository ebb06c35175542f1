// Awaits next to values with cleanups, which may throw.
#include "task.h"
#include <stdexcept>
#include <string>
volatile int sink = 1;
static Task<int> leaf(std::string s, int x) {
  sink = x;
  if (x == 1000)
    throw 1;
  co_return (int) s.size() + x;
}
static Task<int> two(int n) {
  std::string a = "a string that is long enough for the heap";
  int r = co_await leaf(a, n);
  a += "x";
  r += co_await leaf(std::move(a), r);
  co_return r;
}
static Task<int> many(int n) {
  int r = 0;
  while (n-- > 0) {
    r += co_await two(n);
    if (r % 7 == 0)
      continue;
    r += co_await leaf("short", r);
  }
  co_return r;
}
static Task<int> tries(int n) {
  int r = 0;
  for (int i = 0; i < n; i++) {
    if (i % 2)
      r += co_await many(i);
    else
      r -= co_await two(i);
  }
  co_return r;
}
struct Guard {
  int &r;
  ~Guard() { r++; }
};
static Task<int> guarded(int n) {
  int c = 0;
  {
    Guard g{c};
    Guard h{c};
    c += co_await tries(n);
  }
  co_return c;
}
int main() {
  auto run = [&](Task<int> t) {
    t.h.resume();
    while (!t.h.done())
      t.h.resume();
    std::printf("%d\n", t.h.promise().v);
  };
  for (int i = 0; i < 7; i++) {
    run(two(i));
    run(many(i));
    run(tries(i));
    run(guarded(i));
  }
}
