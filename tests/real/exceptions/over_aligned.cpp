// Locals with a larger alignment than the heap's, live across suspends and errors: each address is checked each time.
// Clang's own builds misplace them, unless they are asked for aligned allocation; over_aligned.expected is correct.
#include "witness.h"
#include <cstdint>
#include <cstdlib>
#include <cstring>

template <std::size_t alignment> struct alignas(alignment) Block {
  unsigned char bytes[alignment];
  explicit Block(unsigned char fill) {
    std::memset(bytes, fill, sizeof bytes);
    check("made");
    ++live;
  }
  Block(const Block &) = delete;
  ~Block() {
    check("ended");
    --live;
  }
  void check(const char *when) const {
    // The address goes through memory, so that no compiler folds the check.
    const void *volatile hidden = this;
    if (reinterpret_cast<std::uintptr_t>(hidden) % alignment != 0) {
      std::printf("    a block of %zu is not aligned when %s\n", alignment, when);
    }
  }
  int sum() const {
    check("summed");
    int total = 0;
    for (unsigned char byte : bytes) {
      total += byte;
    }
    return total;
  }
};

struct Task {
  struct promise_type {
    char odd = 'o';
    // Frames start 16, 32 or 48 bytes after malloc's result: only an alignment of 16 is guaranteed.
    void *operator new(std::size_t size) {
      static int count = 0;
      auto *begin = static_cast<char *>(std::malloc(size + 64));
      int shift = 16 * (1 + count++ % 3);
      begin[shift - 1] = static_cast<char>(shift);
      return begin + shift;
    }
    void operator delete(void *frame) {
      auto *begin = static_cast<char *>(frame);
      std::free(begin - begin[-1]);
    }
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
};

static Task work(char first, int fatal) {
  Block<64> wide(1);
  char between = first;
  Block<128> wider(2);
  for (int turn = 0; turn < 3; ++turn) {
    alignas(32) char small[5] = {first, between, 'c', 'd', static_cast<char>('0' + turn)};
    const char *volatile hidden = small;
    co_await std::suspend_always{};
    Block<256> brief(3);
    std::printf("    %.5s %d %d %d, aligned: %d\n", small, wide.sum(), wider.sum(), brief.sum(),
                reinterpret_cast<std::uintptr_t>(hidden) % 32 == 0);
    try {
      Block<64> tried(static_cast<unsigned char>(turn));
      co_await std::suspend_always{};
      if (turn == fatal) {
        throw Error{tried.sum()};
      }
    } catch (const Error &error) {
      std::printf("    caught %d\n", error.code);
      if (first == 't') {
        throw;
      }
    }
  }
}

int main() {
  for (char first : {'a', 't'}) {
    for (int fatal = 0; fatal < 4; ++fatal) {
      Task task = work(first, fatal);
      while (!task.handle.done() && told("resume", [&] { task.handle.resume(); })) {
      }
      task.handle.destroy();
      balance("work");
    }
  }
}
