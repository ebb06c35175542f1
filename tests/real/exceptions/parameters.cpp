// By-value parameters are moved into the frame; any of the moves may throw. Every constructed
// object is destroyed once, the frame is freed, and the caller gets the error. Clang's -O2 build treats some parameters as
// moved that are not, and its -O0 build reads the error from the freed frame; parameters.expected has
// the correct output.
#include "witness.h"

static int moves = 0, fatal = -1;

struct Parameter {
  int value, *owned;
  explicit Parameter(int given) : value(given), owned(new int(given)) { ++live; }
  Parameter(Parameter &&other) : value(other.value), owned(nullptr) {
    std::printf("    move %d of %d\n", moves, value);
    if (moves++ == fatal) {
      throw Error{value};
    }
    owned = std::exchange(other.owned, nullptr);
    ++live;
  }
  ~Parameter() {
    std::printf("    end %d%s\n", value, owned ? "" : ", moved from");
    delete owned;
    --live;
  }
};

struct Task {
  struct promise_type {
    int sum;
    promise_type(const Parameter &first, int, const Parameter &second, const Parameter &third)
        : sum(first.value + second.value + third.value) {}
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() { std::printf("    sum %d\n", sum); }
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
};

static Task work(Parameter first, int turns, Parameter second, Parameter third) {
  Parameter local(std::move(second));
  for (int turn = 0; turn < turns; ++turn) {
    co_await std::suspend_always{};
    std::printf("    %d %d %d\n", *first.owned, *local.owned, *third.owned);
  }
  Parameter taken(std::move(third));
}

int main() {
  for (fatal = -1; fatal < 6; ++fatal) {
    moves = 0;
    std::printf("fatal %d\n", fatal);
    Task task{};
    told("call", [&] { task = work(Parameter(1), 2, Parameter(20), Parameter(300)); });
    if (task.handle) {
      while (!task.handle.done() && told("resume", [&] { task.handle.resume(); })) {
      }
      std::printf("  done: %d\n", task.handle.done());
      task.handle.destroy();
    }
    balance("after");
  }
}
