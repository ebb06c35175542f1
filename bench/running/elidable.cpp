// Tasks with a type that lets the compiler put their frames into the frame of the awaiter.
#ifdef __clang__
#define TASK_IS [[clang::coro_await_elidable]]
#endif
#include "running.h"
#include "task.h"

static task<int> child(int i) { co_return i + 1; }
static task<int> elidable(int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, co_await child(i));
  co_return int(sum);
}
COROUTINES(await_elidable) { return unsigned(run(elidable(count))); }
BY_HAND(await_elidable) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, i + 1);
  return sum;
}

[[gnu::noinline]] static task<int> child_apart(int i) { co_return i + 1; }
static task<int> elidable_apart(int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, co_await child_apart(i));
  co_return int(sum);
}
COROUTINES(await_elidable_not_inlined) { return unsigned(run(elidable_apart(count))); }
[[gnu::noinline]] static int no_child(int i) { return i + 1; }
BY_HAND(await_elidable_not_inlined) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, no_child(i));
  return sum;
}

static task<int> leaf(int i) { co_return i * 3; }
static task<int> middle(int i) { co_return co_await leaf(i) + co_await leaf(i + 1); }
static task<int> root(int i) { co_return co_await middle(i) ^ co_await middle(i + 1); }
static task<int> levels(int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, co_await root(i));
  co_return int(sum);
}
COROUTINES(await_elidable_levels) { return unsigned(run(levels(count))); }
BY_HAND(await_elidable_levels) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, (i * 3 + (i + 1) * 3) ^ ((i + 1) * 3 + (i + 2) * 3));
  return sum;
}
