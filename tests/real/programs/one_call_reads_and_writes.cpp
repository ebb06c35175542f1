// One call is the last use of a variable and the first use of another: both live in the frame.
#include <coroutine>
#include <cstdio>
struct Task { struct promise_type { Task get_return_object(){return Task{std::coroutine_handle<promise_type>::from_promise(*this)};}
 std::suspend_never initial_suspend() noexcept {return {};} std::suspend_always final_suspend() noexcept {return {};} void return_void(){} void unhandled_exception(){} };
 std::coroutine_handle<promise_type> h; };
struct V { long x[4]; };
__attribute__((noinline)) V reversed(const V& from) { V to; for (int i = 0; i < 4; i++) to.x[i] = from.x[3 - i]; return to; }
__attribute__((noinline)) void fill(V* v, long n) { for (int i=0;i<4;i++) v->x[i] = n+i; }
Task f(long n) {
  V a; fill(&a, n);
  co_await std::suspend_always{};
  V b = reversed(a);
  co_await std::suspend_always{};
  std::printf("%ld %ld %ld %ld\n", b.x[0], b.x[1], b.x[2], b.x[3]);
}
int main() { Task t = f(1); t.h.resume(); t.h.resume(); t.h.destroy(); }
