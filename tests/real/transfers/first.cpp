// Symmetric transfer: repeated between two objects, resumed from inside a coroutine's body, with the no-op coroutine, with
// frames that end and are created at the same address, and with exceptions that leave coroutines.
#include "fibers.h"

#include <cstdlib>

std::uintptr_t lowest = UINTPTR_MAX, highest;
[[gnu::noinline]] void note_stack() {
  auto at = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  lowest = at < lowest ? at : lowest;
  highest = at > highest ? at : highest;
}

fiber here(player &me, long limit) {
  while (me.turns < limit) {
    ++me.turns;
    co_await transfer{std::coroutine_handle<fiber::promise_type>::from_promise(*me.other)};
  }
}

static void play(fiber a, player &first, fiber b, player &second) {
  first.other = &b.handle.promise();
  second.other = &a.handle.promise();
  lowest = UINTPTR_MAX, highest = 0;
  a.handle.resume();
  std::printf("%ld and %ld turns\n", first.turns, second.turns);
  std::fprintf(stderr, "%lu bytes deep\n", static_cast<unsigned long>(highest - lowest));
  a.handle.destroy();
  b.handle.destroy();
}

// A resume inside a body is over when what it started is, however that is passed on.
static fiber asks(int &count, int *seen) {
  fiber last = counts(count, 0, std::noop_coroutine());
  fiber middle = counts(count, 1, last.handle);
  fiber one = counts(count, 3, middle.handle);
  for (int i = 0; i < 4; ++i) {
    one.handle.resume();
    seen[i] = count;
  }
  middle.handle.resume();
  seen[4] = last.handle.done();
  co_await transfer{std::noop_coroutine()};
  one.handle.destroy();
  middle.handle.destroy();
  last.handle.destroy();
  seen[5] = 1;
}

static fiber resumes(std::coroutine_handle<> other) {
  other.resume();
  co_return;
}

static void nested() {
  int count = 0, seen[6] = {};
  fiber inner = asks(count, seen);
  fiber outer = resumes(inner.handle);
  fiber start = counts(count, 0, outer.handle);
  start.handle.resume();
  inner.handle.resume();
  std::printf("nested:");
  for (int number : seen) {
    std::printf(" %d", number);
  }
  std::printf(" done %d %d\n", inner.handle.done(), outer.handle.done());
  start.handle.destroy();
  outer.handle.destroy();
  inner.handle.destroy();
}

static fiber adds(int &number, std::coroutine_handle<> then) {
  number += 10;
  co_await transfer{then};
}

static std::coroutine_handle<> last_made;
static fiber makes(int &number, std::coroutine_handle<> then) {
  fiber made = adds(number, then);
  last_made = made.handle;
  made.handle.resume();
  number *= 2; // after all that `made` was followed by
  co_return;
}

static void in_one_place() {
  int number = 0, count = 0;
  std::coroutine_handle<> again[2];
  fiber follower = counts(number, 1, std::noop_coroutine());
  fiber maker = makes(number, follower.handle);
  again[1] = maker.handle;
  fiber gone = vanishes(again, number);
  fiber start = counts(count, 0, gone.handle);
  start.handle.resume();
  std::printf("in one place: %d\n", number);
  start.handle.destroy();
  maker.handle.destroy();
  follower.handle.destroy();
  last_made.destroy();
}

#if __cpp_exceptions
static fiber throws(int depth) {
  if (depth == 0) {
    throw std::runtime_error("from below");
  }
  fiber next = throws(depth - 1);
  struct guard {
    fiber &of;
    ~guard() { of.handle.destroy(); }
  } keep{next};
  co_await transfer{next.handle};
}

// Its own code does not throw; the coroutine that it transfers to may.
static fiber calm(std::coroutine_handle<> to) noexcept { co_await transfer{to}; }

static void through_a_calm_one() {
  fiber f = throws(0), g = calm(f.handle);
  try {
    g.handle.resume();
  } catch (const std::exception &e) {
    std::printf("%s through a calm one, done %d\n", e.what(), g.handle.done());
  }
  g.handle.destroy();
  f.handle.destroy();
}

static void thrown() {
  for (int depth : {0, 1, 2, 50}) {
    fiber f = throws(depth);
    int count = 0;
    fiber start = counts(count, 0, f.handle);
    try {
      start.handle.resume();
      std::printf("nothing came\n");
    } catch (const std::exception &e) {
      std::printf("%s, done %d\n", e.what(), f.handle.done());
    }
    player a, b; // the next user finds the initial state
    play(here(a, 3), a, there(b, 3), b);
    start.handle.destroy();
    f.handle.destroy();
  }
}
#else
static void through_a_calm_one() {}
static void thrown() {}
#endif

int main(int count, char **arguments) {
  long turns = std::atol(arguments[1]);
  player a, b, c, d;
  play(here(a, turns), a, there(b, turns), b);
  play(here(c, turns), c, here(d, turns), d);
  nested();
  in_one_place();
  thrown();
  if (count > 2) {
    through_a_calm_one();
  }
}
