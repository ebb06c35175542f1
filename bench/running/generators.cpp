// Generators that a loop in the same function drives. Every value is added to a sum without a closed form.
#include "generator.h"
#include "running.h"

#include <cstdlib>
#include <memory>
#include <string>

static generator<int> one(int count) {
  for (int i = 0; i < count; i++)
    co_yield i;
}
COROUTINES(one_yield) {
  unsigned sum = 0;
  for (int value : one(count))
    mix(sum, value);
  return sum;
}
BY_HAND(one_yield) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, i);
  return sum;
}

static generator<int> two(int count) {
  for (int i = 0; i < count; i += 2) {
    co_yield i;
    co_yield i ^ 5;
  }
}
COROUTINES(two_yields) {
  unsigned sum = 0;
  for (int value : two(count))
    mix(sum, value);
  return sum;
}
BY_HAND(two_yields) {
  unsigned sum = 0;
  for (int i = 0; i < count; i += 2) {
    mix(sum, i);
    mix(sum, i ^ 5);
  }
  return sum;
}

static generator<int> odd(generator<int> &from) {
  for (int value : from)
    if (value & 5)
      co_yield value;
}
COROUTINES(filter) {
  unsigned sum = 0;
  auto all = one(count);
  for (int value : odd(all))
    mix(sum, value);
  return sum;
}
BY_HAND(filter) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    if (i & 5)
      mix(sum, i);
  return sum;
}

template <typename F> static generator<int> map(generator<int> &from, F by) {
  for (int value : from)
    co_yield by(value);
}
static generator<int> take(generator<int> &from, int count) {
  for (int value : from) {
    if (count-- == 0)
      break;
    co_yield value;
  }
}
COROUTINES(map_and_take) {
  unsigned sum = 0;
  auto all = one(0x7fffffff);
  auto mapped = map(all, [](int x) { return 3 * x + 1; });
  for (int value : take(mapped, count))
    mix(sum, value);
  return sum;
}
BY_HAND(map_and_take) {
  unsigned sum = 0;
  for (int i = 0, left = count; i < 0x7fffffff; i++) {
    if (left-- == 0)
      break;
    mix(sum, 3 * i + 1);
  }
  return sum;
}

static generator<int> walk(int depth, int name) {
  co_yield name;
  if (depth == 0)
    co_return;
  for (int value : walk(depth - 1, 2 * name))
    co_yield value;
  for (int value : walk(depth - 1, 2 * name + 1))
    co_yield value;
}
COROUTINES(tree_walk) {
  unsigned sum = 0;
  for (int i = 0; i < count / 15; i++)
    for (int value : walk(3, 1))
      mix(sum, value + i);
  return sum;
}
static void visit(int depth, int name, int add, unsigned &sum) {
  mix(sum, name + add);
  if (depth == 0)
    return;
  visit(depth - 1, 2 * name, add, sum);
  visit(depth - 1, 2 * name + 1, add, sum);
}
BY_HAND(tree_walk) {
  unsigned sum = 0;
  for (int i = 0; i < count / 15; i++)
    visit(3, 1, i, sum);
  return sum;
}

// Parameters with destructors make a ramp that is not inlined before its frame is elided. It returns the owner through
// memory.
static generator<int> of_strings(int count, std::string first, std::string second) {
  for (int i = 0; i < count; i++)
    co_yield i + int(first.size()) - int(second.size());
}
COROUTINES(strings) {
  unsigned sum = 0;
  auto values = of_strings(count, "first", "second of them");
  while (values.next())
    mix(sum, values.value());
  return sum;
}
BY_HAND(strings) {
  unsigned sum = 0;
  std::string first = "first", second = "second of them";
  for (int i = 0; i < count; i++)
    mix(sum, i + int(first.size()) - int(second.size()));
  return sum;
}

// An owner that destroys more than the coroutine, and also has a second pointer to it.
struct owner {
  struct promise_type {
    int value;
    owner get_return_object() { return owner(this); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int given) noexcept {
      value = given;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  promise_type *promise;
  std::coroutine_handle<promise_type> handle;
  std::unique_ptr<int> taken;
  explicit owner(promise_type *promise)
      : promise(promise), handle(std::coroutine_handle<promise_type>::from_promise(*promise)) {}
  owner(owner &&other) noexcept
      : promise(other.promise), handle(std::exchange(other.handle, {})), taken(std::move(other.taken)) {}
  ~owner() {
    if (handle)
      handle.destroy();
  }
  bool next() {
    handle.resume();
    return !handle.done();
  }
};
static owner owned(int count, std::string prefix, std::string suffix) {
  for (int i = 0; i < count; i++)
    co_yield i ^ int(prefix.size() + suffix.size());
}
COROUTINES(owner) {
  unsigned sum = 0;
  for (owner values = owned(count, "prefix", "suffix of it"); values.next();)
    mix(sum, values.promise->value);
  return sum;
}
BY_HAND(owner) {
  unsigned sum = 0;
  std::string prefix = "prefix", suffix = "suffix of it";
  for (int i = 0; i < count; i++)
    mix(sum, i ^ int(prefix.size() + suffix.size()));
  return sum;
}

// A promise that defines operator new. A compiler must call it unless it elides the frame.
struct own_new : generator<int> {
  struct promise_type : generator<int>::promise_type {
    own_new get_return_object() {
      return own_new(generator<int>::handle::from_promise(static_cast<generator<int>::promise_type &>(*this)));
    }
    static void *operator new(std::size_t size) { return std::malloc(size); }
    static void operator delete(void *memory) { std::free(memory); }
  };
  explicit own_new(handle of) : generator<int>(of) {}
};
static own_new allocated(int count, std::string prefix, std::string suffix) {
  for (int i = 0; i < count; i++)
    co_yield i ^ int(prefix.size() + suffix.size());
}
COROUTINES(own_new) {
  unsigned sum = 0;
  for (own_new values = allocated(count, "prefix", "suffix of it"); values.next();)
    mix(sum, values.value());
  return sum;
}
BY_HAND(own_new) {
  unsigned sum = 0;
  std::string prefix = "prefix", suffix = "suffix of it";
  for (int i = 0; i < count; i++)
    mix(sum, i ^ int(prefix.size() + suffix.size()));
  return sum;
}
