// A buffer that is aligned manually in every iteration of a loop, between suspends: an optimizer hoists computations on its
// address out of the loop. The coroutine is resumed from stacks of several depths.
#include <coroutine>
#include <cstdint>
#include <cstdio>

struct task {
  struct promise_type {
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

[[gnu::noinline]] static void litter() {
  volatile char stack[8192];
  for (auto &byte : stack) {
    byte = 0x5a;
  }
}

[[gnu::noinline]] static void fill(long *line, long value) {
  for (int i = 0; i < 4; i++) {
    line[i] = value;
  }
  litter();
}

[[gnu::noinline]] static long sum(const char *buffer) {
  long all = 0;
  for (int i = 0; i < 128; i++) {
    all += buffer[i];
  }
  return all;
}

static task lines(int count, int offset) {
  for (int i = 0; i < count; i++) {
    {
      char buffer[128] = {};
      auto *line = reinterpret_cast<long *>((reinterpret_cast<std::uintptr_t>(buffer) + 63) & ~std::uintptr_t{63}) + offset;
      fill(line, i);
      std::printf("%ld %ld\n", *line, sum(buffer));
    }
    co_await std::suspend_always{};
  }
}

[[gnu::noinline]] static void resume_below(std::coroutine_handle<> handle, int depth) {
  volatile char room[256];
  room[0] = 0;
  if (depth) {
    resume_below(handle, depth - 1);
  } else {
    handle.resume();
  }
  room[1] = 1;
}

int main() {
  task all = lines(4, 1);
  for (int turn = 0; !all.handle.done(); turn++) {
    litter();
    resume_below(all.handle, turn * 9 % 7);
    litter();
  }
  all.handle.destroy();
}
