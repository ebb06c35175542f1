// Frames that are destroyed in any order, by other threads, by exceptions and at the end of threads and of the process. Standard
// output is the same whether frames are cached or not; standard error has the numbers of allocations.
#include <atomic>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

static std::atomic<long> allocations, blocks, bytes;
static std::atomic<bool> fails;

// A block begins with its size, which operator delete must receive. Freed memory has other contents.
static void *allocate(std::size_t size) {
  allocations++, blocks++, bytes += long(size);
  auto *block = static_cast<std::size_t *>(std::malloc(size + 16));
  *block = size;
  return std::memset(block + 2, 0xa5, size);
}
static void release(void *memory) {
  if (!memory)
    return;
  auto *block = static_cast<std::size_t *>(memory) - 2;
  blocks--, bytes -= long(*block);
  std::memset(memory, 0x5a, *block);
  std::free(block);
}
void *operator new(std::size_t size) {
  if (fails)
    throw std::bad_alloc();
  return allocate(size);
}
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return fails ? nullptr : allocate(size); }
void operator delete(void *memory) noexcept { release(memory); }
void operator delete(void *memory, std::size_t size) noexcept {
  if (memory && static_cast<std::size_t *>(memory)[-2] != size)
    std::printf("freed as %zu bytes, allocated as %zu\n", size, static_cast<std::size_t *>(memory)[-2]), std::abort();
  release(memory);
}

// Constructed first, so that it is destroyed last.
struct last {
  ~last() { std::printf("%ld blocks at the end\n", blocks.load()); }
} const last;

struct owner { // of a coroutine that yields numbers
  struct promise_type {
    int value = 0;
    owner get_return_object() { return owner(handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int given) {
      value = given;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  using handle = std::coroutine_handle<promise_type>;
  handle of;
  owner() = default;
  explicit owner(handle of) : of(of) {}
  owner(owner &&other) noexcept : of(std::exchange(other.of, {})) {}
  owner &operator=(owner &&other) noexcept {
    std::swap(of, other.of);
    return *this;
  }
  ~owner() {
    if (of)
      of.destroy();
  }
  int next() {
    of.resume();
    return of.done() ? -1 : of.promise().value;
  }
};

// A promise whose ramp reports a failed allocation.
struct maybe {
  struct promise_type {
    static maybe get_return_object_on_allocation_failure() { return {}; }
    maybe get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> of = {};
};

template <typename F> static F *opaque(F *function) { // no compiler knows the result
  asm volatile("" : "+r"(function));
  return function;
}

template <int SIZE> static owner numbers(int from, int to) {
  char memory[SIZE];
  std::memset(memory, from & 127, SIZE);
  for (int i = from; i < to; i++) {
    opaque(memory)[i % SIZE] = char(from & 127);
    co_yield i + memory[(i + 1) % SIZE] - (from & 127);
  }
}
static owner aligned() {
  alignas(64) int value;
  co_yield int(reinterpret_cast<std::size_t>(opaque(&value)) % 64);
}
static owner throws(int n) {
  co_yield n;
  throw std::runtime_error("thrown");
}
static owner nested(int depth) {
  if (depth > 0)
    for (int side = 0; side < 2; side++) {
      owner child = opaque(nested)(depth - 1);
      for (int value; (value = child.next()) >= 0;)
        co_yield value + side;
    }
  if (depth == 2)
    for (owner child = opaque(throws)(depth);;)
      try {
        co_yield child.next();
      } catch (const std::runtime_error &) {
        break;
      }
  co_yield depth;
}
static maybe reports(int n) {
  char memory[700];
  std::memset(memory, n, sizeof memory);
  co_await std::suspend_always{};
  std::printf("%d\n", opaque(memory)[n]);
}

static owner numbers_of_size(int size, int from, int to) {
  return size == 0 ? numbers<40>(from, to) : size == 1 ? numbers<300>(from, to) : numbers<2000>(from, to);
}
static void in_any_order() {
  std::vector<owner> owners(64);
  unsigned random = 1, sum = 0;
  for (int i = 0; i < 4000; i++) {
    random = random * 1103515245 + 12345;
    owner &one = owners[random >> 16 & 63];
    if (!one.of || random >> 30 == 0)
      one = numbers_of_size(int(random >> 8 & 255) % 3, i, i + 8);
    sum = sum * 31 + unsigned(one.next());
    if (one.of.done())
      one = owner();
  }
  std::printf("in any order %u\n", sum);
}
static void with_exceptions() {
  unsigned sum = 0, count = 0;
  owner tree = nested(6);
  for (int value; (value = tree.next()) >= 0; count++)
    sum = sum * 31 + unsigned(value);
  owner left = nested(5);
  left.next();
  owner one = throws(1);
  one.next();
  try {
    one.next();
  } catch (const std::runtime_error &error) {
    std::printf("%s, %d\n", error.what(), one.of.done());
  }
  std::printf("nested %u of %u\n", sum, count);
}
static void failing_allocation() {
  fails = true;
  maybe none = opaque(reports)(3);
  try {
    owner one = opaque(numbers<500>)(0, 2);
    std::printf("allocated\n");
  } catch (const std::bad_alloc &) {
    std::printf("bad_alloc, %d\n", bool(none.of));
  }
  fails = false;
  for (int i = 0; i < 2; i++) {
    maybe one = opaque(reports)(i);
    one.of.resume(), one.of.resume(), one.of.destroy();
  }
}

static thread_local owner until_the_thread_ends; // destroyed after the cache, if it is older
static void other_threads() {
  std::vector<owner> made;
  unsigned sum = 0;
  auto make = [&](int from) {
    made.resize(200);
    until_the_thread_ends = numbers<40>(from, from + 1);
    for (int i = 0; i < 200; i++)
      made[unsigned(i)] = numbers_of_size(i % 3, from + i, from + i + 5), sum += unsigned(made[unsigned(i)].next());
  };
  std::thread(make, 10).join();
  std::thread(make, 20).join(); // also destroys those of the first thread
  for (owner &one : made)
    sum = sum * 31 + unsigned(one.next());
  std::thread([&] { made.clear(); }).join();
  make(30);
  made.clear();
  std::printf("threads %u\n", sum);
}
static owner on_two_threads(std::vector<owner> &kept) {
  kept.push_back(opaque(numbers<90>)(1, 2)); // takes the block of the first thread
  co_yield 1;
  kept.push_back(opaque(numbers<90>)(2, 3)); // takes that of the second
  co_yield 2;
}
static long allocations_after_change_of_thread() {
  std::vector<owner> kept;
  kept.reserve(2);
  long before = 0;
  owner one = on_two_threads(kept);
  std::thread([&] {
    { owner block = opaque(numbers<90>)(1, 2); }
    one.next();
    std::thread([&] {
      { owner block = opaque(numbers<90>)(1, 2); }
      before = allocations;
      one.next();
      before = allocations - before;
    }).join();
  }).join();
  return before;
}
static void many_at_once() {
  std::vector<owner> owners;
  long before = bytes;
  for (int i = 0; i < 4000; i++)
    owners.push_back(numbers<600>(i, i + 1));
  owners = std::vector<owner>();
  std::printf("kept at most 256 KiB: %d\n", bytes - before <= 256 << 10);
}
static bool are_aligned() { // clang's are not
  bool fine = true;
  for (int i = 0; i < 100; i++) {
    owner one = opaque(aligned)(), other = opaque(aligned)();
    fine &= one.next() == 0 && other.next() == 0;
  }
  return fine;
}
static long one_after_another(int size) {
  long before = allocations;
  for (int i = 0; i < 10000; i++) {
    owner one = opaque(numbers_of_size)(size, i, i + 2);
    one.next();
  }
  return allocations - before;
}
static long one_by_another_thread(int size) { // which has no blocks yet
  long before = 0;
  std::thread([&] {
    before = allocations;
    owner one = opaque(numbers_of_size)(size, 1, 2);
    before = allocations - before;
  }).join();
  return before;
}

static owner until_the_process_ends = numbers<40>(1, 2);

int main() {
  in_any_order();
  with_exceptions();
  failing_allocation();
  other_threads();
  many_at_once();
  std::fprintf(stderr, "%ld %ld %ld", one_after_another(0), one_after_another(2), allocations_after_change_of_thread());
  std::fprintf(stderr, " %ld %d\n", one_by_another_thread(0), are_aligned());
}
