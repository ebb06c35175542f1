// Addresses of local variables that callees keep, return, or only use. Each coroutine has a second variable that may have
// the bytes of the first if the frame loses track of an address.
#include <coroutine>
#include <cstdio>
#include <utility>

struct job {
  struct promise_type {
    job get_return_object() { return job{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  explicit job(std::coroutine_handle<promise_type> of) : handle(of) {}
  job(job &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~job() {
    if (handle)
      handle.destroy();
  }
  std::coroutine_handle<promise_type> handle;
};

struct box {
  long values[6];
  inline void fill(long from) {
    for (long &value : values)
      value = from++;
  }
  inline long &at(int index) { return values[index]; }
  inline long sum() const {
    long all = 0;
    for (long value : values)
      all += value;
    return all;
  }
};

static box *kept;
static long *kept_value;
inline void keep(box &of) { kept = &of; }
inline box &keep_and_return(box &of) {
  kept = &of;
  return of;
}
inline void fill_kept(box &of) { keep_and_return(of).fill(1); }
inline void keep_value(box &of) { kept_value = &of.at(1); }
static void change() { // may be called while the coroutine is suspended
  if (kept)
    kept->fill(100);
  if (kept_value)
    *kept_value = 1000;
}

static void print(const char *what, long value) { std::printf("%s %ld\n", what, value); }

static job only_used() {
  box one;
  one.fill(1);
  print("only used", one.sum());
  co_await std::suspend_always{};
  box other;
  other.fill(2);
  co_await std::suspend_always{};
  print("other", other.sum());
}

static job returned() {
  box one;
  one.fill(1);
  long &value = one.at(2);
  co_await std::suspend_always{};
  {
    box other;
    other.fill(10);
    co_await std::suspend_always{};
    print("other", other.sum());
  }
  print("returned", value);
}

static job kept_by_callee() {
  box one;
  one.fill(1);
  keep(one);
  co_await std::suspend_always{};
  {
    box other;
    other.fill(10);
    co_await std::suspend_always{};
    print("other", other.sum());
    other.fill(20);
    print("kept", kept->sum());
  }
  kept = nullptr;
}

static job kept_and_returned() {
  box one;
  fill_kept(one);
  co_await std::suspend_always{};
  {
    box other;
    other.fill(10);
    co_await std::suspend_always{};
    print("other", other.sum());
    print("kept and returned", kept->sum());
  }
  kept = nullptr;
}

static job kept_result() {
  box one;
  one.fill(1);
  keep_value(one);
  co_await std::suspend_always{};
  {
    box other;
    other.fill(10);
    co_await std::suspend_always{};
    print("other", other.sum());
    other.fill(20);
    print("kept value", *kept_value);
  }
  kept_value = nullptr;
}

static job reads_later(box &of) {
  co_await std::suspend_always{};
  print("read by a coroutine", of.sum());
}

static job reads_at_once(box of) {
  print("copied by a coroutine", of.sum());
  co_await std::suspend_always{};
  print("copy", of.sum());
}

static job of_other_coroutines() {
  box one;
  one.fill(1);
  job later = reads_later(one), at_once = reads_at_once(one);
  later.handle.resume();
  at_once.handle.resume();
  co_await std::suspend_always{};
  {
    box other;
    other.fill(10);
    co_await std::suspend_always{};
    print("other", other.sum());
    later.handle.resume();
    at_once.handle.resume();
  }
}

[[gnu::noinline]] static long overwrite_stack() {
  volatile long bytes[256];
  for (volatile long &byte : bytes)
    byte = -1;
  return bytes[7];
}

static void run(job of) {
  while (!of.handle.done()) {
    of.handle.resume();
    change();
    overwrite_stack();
  }
}

int main() {
  run(only_used());
  run(returned());
  run(kept_by_callee());
  run(kept_and_returned());
  run(kept_result());
  run(of_other_coroutines());
}
