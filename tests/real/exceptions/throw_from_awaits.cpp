// Each step of a co_await throws: await_transform, operator co_await, await_ready, await_suspend in its three
// forms, await_resume. The coroutine counts as resumed when await_suspend throws, so its body may catch the error and
// await again; uncaught, it ends the coroutine.
#include "witness.h"

enum Part { nothing, transform, operator_await, ready, suspend, resume };
static const char *const names[] = {"nothing", "transform", "operator", "ready", "suspend", "resume"};

static void maybe(Part part, Part wanted) {
  if (part == wanted) {
    std::printf("    %s throws\n", names[part]);
    throw Error{part};
  }
}

template <typename Result> struct Awaiter {
  Part wanted;
  Witness witness{"awaiter"};
  explicit Awaiter(Part part) : wanted(part) {}
  bool await_ready() {
    maybe(ready, wanted);
    return false;
  }
  Result await_suspend(std::coroutine_handle<> self) {
    std::printf("    done: %d\n", self.done());
    maybe(suspend, wanted);
    if constexpr (std::is_same_v<Result, bool>) {
      return true;
    } else if constexpr (!std::is_void_v<Result>) {
      return std::noop_coroutine();
    }
  }
  int await_resume() {
    maybe(resume, wanted);
    return 40;
  }
};

template <typename Result> struct Awaitable {
  Part wanted;
  Witness witness{"awaitable"};
  explicit Awaitable(Part part) : wanted(part) {}
  Awaiter<Result> operator co_await() {
    maybe(operator_await, wanted);
    return Awaiter<Result>(wanted);
  }
};

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() { std::puts("    returned"); }
    void unhandled_exception() {
      try {
        throw;
      } catch (const Error &error) {
        std::printf("    unhandled %d\n", error.code);
      }
    }
    template <typename Result> Awaitable<Result> &&await_transform(Awaitable<Result> &&awaited) {
      maybe(transform, awaited.wanted);
      return std::move(awaited);
    }
  };
  std::coroutine_handle<promise_type> handle;
};

template <typename Result> Task uncaught(Part part) {
  Witness local("local");
  int got = co_await Awaitable<Result>(part);
  std::printf("    got %d\n", got);
}

template <typename Result> Task caught(Part part) {
  Witness local("local");
  int again = 0;
  try {
    int got = co_await Awaitable<Result>(part);
    std::printf("    got %d\n", got);
  } catch (const Error &error) {
    std::printf("    caught %d\n", error.code);
    again = error.code;
  }
  int got = co_await Awaitable<Result>(nothing);
  std::printf("    then %d after %d\n", got, again);
}

static void drive(const char *form, const char *how, Part part, Task task) {
  std::printf("%s, %s, %s\n", form, how, names[part]);
  int resumed = 0;
  while (!task.handle.done() && resumed < 5) {
    task.handle.resume();
    ++resumed;
  }
  std::printf("    resumed %d times\n", resumed);
  task.handle.destroy();
  balance(how);
}

template <typename Result> void all(const char *form) {
  for (Part part : {nothing, transform, operator_await, ready, suspend, resume}) {
    drive(form, "uncaught", part, uncaught<Result>(part));
    drive(form, "caught", part, caught<Result>(part));
  }
}

int main() {
  all<void>("void");
  all<bool>("bool");
  all<std::coroutine_handle<>>("handle");
}
