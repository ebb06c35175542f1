// A promise with alignas(32) in frames that operator new places on 32 bytes: its address must be aligned, the conversions between
// promise and handle must agree with the frame, and so must over-aligned locals live across a suspend.
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct frame_heap {
  static constexpr std::size_t align = 64, slack = 64;
  static void *take(std::size_t size) {
    std::size_t all = (size + slack + align - 1) / align * align;
    auto *p = static_cast<unsigned char *>(std::aligned_alloc(align, all));
    std::memset(p, 0xEE, all);
    return p;
  }
  static void give(void *block, std::size_t size) {
    auto *p = static_cast<unsigned char *>(block);
    for (std::size_t i = 0; i < slack; ++i) {
      if (p[size + i] != 0xEE) {
        std::printf("frame wrote past its size\n");
      }
    }
    std::free(p);
  }
};

struct sequence {
  struct alignas(32) promise_type {
    double lanes[4] = {1, 2, 3, 4};
    int turn = 0;
    void *operator new(std::size_t size) { return frame_heap::take(size); }
    void operator delete(void *p, std::size_t size) { frame_heap::give(p, size); }
    sequence get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) noexcept {
      turn = v;
      for (double &lane : lanes) {
        lane *= 1.5;
      }
      return {};
    }
    void return_void() noexcept {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> h;
};

static bool aligned(const volatile void *p, std::uintptr_t to) { return reinterpret_cast<std::uintptr_t>(p) % to == 0; }

static sequence count(int n) {
  for (int i = 0; i < n; ++i) {
    co_yield i;
  }
}

static sequence with_locals(int n) {
  alignas(64) unsigned char wide[64];
  alignas(32) long pair[2] = {n, -n};
  char narrow = 'a';
  std::memset(wide, n, sizeof wide);
  for (int i = 0; i < n; ++i) {
    std::printf("  wide %d pair %d\n", aligned(wide, 64), aligned(pair, 32));
    wide[i] = static_cast<unsigned char>(wide[63 - i] + narrow++);
    pair[i % 2] += wide[i];
    co_yield static_cast<int>(pair[0] - pair[1]);
  }
}

static void show(sequence s) {
  auto &p = s.h.promise();
  auto back = std::coroutine_handle<sequence::promise_type>::from_promise(p);
  std::printf("promise aligned %d, same handle %d\n", aligned(&p, 32), back == s.h);
  for (back.resume(); !back.done(); back.resume()) {
    std::printf("%d: %.4f %.4f\n", p.turn, p.lanes[0], p.lanes[3]);
  }
  std::coroutine_handle<> erased = s.h;
  std::printf("same address %d, done %d\n", erased.address() == s.h.address(), erased.done());
  erased.destroy();
}

int main() {
  show(count(3));
  show(with_locals(4));
}
