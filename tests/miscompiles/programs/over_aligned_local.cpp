// Locals with a larger alignment than the allocator guarantees, in coroutines with frames allocated at every offset.
// Prints the number of misaligned locals: 0.
#include <coroutine>
#include <cstdint>
#include <cstdio>

struct task {
  struct promise_type {
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() noexcept {}
  };
  std::coroutine_handle<promise_type> handle;
};

static int misaligned;
__attribute__((noinline)) static void look(volatile char *p) {
  asm volatile("" : "+r"(p)); // the compiler knows what the alignment should be, and would not look
  misaligned += reinterpret_cast<std::uintptr_t>(p) % 64 != 0;
}

static task f() {
  alignas(64) volatile char wide[64];
  wide[0] = 1;
  look(wide);
  co_await std::suspend_always{};
  look(wide);
}

int main() {
  task all[100];
  for (auto &one : all)
    one = f();
  for (auto &one : all) {
    one.handle.resume();
    one.handle.destroy();
  }
  std::printf("%d\n", misaligned);
}
