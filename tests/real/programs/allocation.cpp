// Allocation of a frame and its failure: a promise's own operator new, one that takes an allocator
// from the parameters, and get_return_object_on_allocation_failure, with and without a suspend in the coroutine.
// Lowered before it is optimised: its allocations are printed, and none may be elided.
#include <coroutine>
#include <cstddef>
#include <cstdio>
#include <new>

struct pool {
  alignas(16) unsigned char bytes[1 << 16];
  std::size_t used = 0;
  int live = 0;
  void *take(std::size_t n) {
    void *p = bytes + used;
    used += (n + 15) / 16 * 16;
    ++live;
    return used <= sizeof bytes ? p : nullptr;
  }
};

struct pooled {
  struct promise_type {
    static void *operator new(std::size_t size, pool &p, int) {
      auto **block = static_cast<pool **>(p.take(size + 16));
      *block = &p;
      return reinterpret_cast<unsigned char *>(block) + 16;
    }
    static void operator delete(void *frame) {
      (*reinterpret_cast<pool **>(static_cast<unsigned char *>(frame) - 16))->live--;
    }
    pooled get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> h;
};

static pooled in_pool(pool &, int n) {
  int square = n * n;
  co_await std::suspend_always{};
  std::printf("pooled %d\n", square);
}

static bool refuse = false;
static int allocations = 0;

template <class Initial, class Final> struct maybe {
  struct promise_type {
    static void *operator new(std::size_t size) noexcept {
      if (refuse) {
        return nullptr;
      }
      ++allocations;
      return ::operator new(size);
    }
    static void operator delete(void *p) { ::operator delete(p); }
    static maybe get_return_object_on_allocation_failure() { return {nullptr, true}; }
    maybe get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this), false}; }
    Initial initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<> h;
  bool failed;
};

static maybe<std::suspend_always, std::suspend_always> lazy(int n) {
  std::printf("lazy runs with %d\n", n);
  co_return;
}

static maybe<std::suspend_never, std::suspend_never> never_suspends(int n) {
  std::printf("never suspends, %d\n", n);
  co_return;
}

static maybe<std::suspend_never, std::suspend_never> fire_and_forget(std::coroutine_handle<> *out) {
  struct park {
    std::coroutine_handle<> *out;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> h) { *out = h; }
    void await_resume() {}
  };
  co_await park{out};
  std::puts("continued, frees itself");
}

int main() {
  static pool p;
  pooled jobs[8] = {in_pool(p, 1), in_pool(p, 2), in_pool(p, 3), in_pool(p, 4),
                    in_pool(p, 5), in_pool(p, 6), in_pool(p, 7), in_pool(p, 8)};
  for (pooled &j : jobs) {
    j.h.resume();
  }
  for (int i = 0; i < 8; i += 2) {
    jobs[i].h.resume();
  }
  for (pooled &j : jobs) {
    j.h.destroy();
  }
  std::printf("balance %d\n", p.live); // their number is unspecified: an optimizer may elide a frame

  auto a = lazy(1);
  a.h.resume();
  std::printf("failed %d done %d\n", a.failed, a.h.done());
  a.h.destroy();
  never_suspends(2);
  std::coroutine_handle<> parked;
  fire_and_forget(&parked);
  parked.resume();
  refuse = true;
  std::printf("failed %d\n", lazy(3).failed);
  std::printf("failed %d\n", fire_and_forget(&parked).failed);
}
