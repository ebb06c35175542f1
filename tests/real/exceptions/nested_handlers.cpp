// Handlers within handlers around co_await: by type, by order, catch-all, rethrown, replaced, from loops and out of
// function try blocks; suspended coroutines are destroyed inside of try blocks, and during the unwinding of another error.
#include "witness.h"

struct Base {
  int code;
};
struct Derived : Base {};

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
};

// The awaiter throws the given error when the coroutine is resumed.
struct Throwing {
  int kind;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<>) {}
  int await_resume() {
    switch (kind) {
    case 1:
      throw Error{1};
    case 2:
      throw Base{2};
    case 3:
      throw Derived{{3}};
    case 4:
      throw 4L;
    }
    return kind;
  }
};

static Task nested(int kind) {
  Witness outermost("outermost");
  int steps = 0;
  try {
    Witness outer("outer");
    try {
      Witness middle("middle");
      try {
        Witness inner("inner");
        steps += co_await Throwing{kind};
        std::printf("    inner passed %d\n", steps);
      } catch (const Derived &error) {
        Witness handler("handler of Derived");
        std::printf("    Derived %d, again\n", error.code);
        throw;
      } catch (long value) {
        std::printf("    long %ld, replaced\n", value);
        throw Error{static_cast<int>(value) * 10};
      }
      steps += 10;
      co_await Throwing{0};
    } catch (const Base &error) {
      std::printf("    Base %d\n", error.code);
      steps += 100;
    }
    steps += co_await Throwing{0};
    std::printf("    middle passed %d\n", steps);
  } catch (...) {
    Witness handler("handler of all");
    std::printf("    all %d, again\n", steps);
    throw;
  }
  co_await Throwing{0};
  std::printf("    passed %d\n", steps);
}

static Task whole(int kind) try {
  Witness local("local");
  co_await Throwing{kind};
  std::puts("    whole passed");
} catch (const Error &error) {
  std::printf("    whole caught %d\n", error.code);
}

static Task loop() {
  for (int kind = 0; kind < 5; ++kind) {
    Witness round("round");
    try {
      try {
        if (co_await Throwing{kind} == 0) {
          continue;
        }
        break;
      } catch (const Error &) {
        co_return;
      } catch (const Base &error) {
        std::printf("    loop %d\n", error.code);
      }
    } catch (...) {
      std::puts("    never");
    }
  }
}

// Destroys its coroutine during unwinding.
struct Owner {
  Task task;
  ~Owner() {
    std::puts("    owner ends it");
    task.handle.destroy();
  }
};

static void drive(const char *name, Task task) {
  std::puts(name);
  while (!task.handle.done() && told("resume", [&] {
    try {
      task.handle.resume();
    } catch (const Base &error) {
      throw Error{1000 + error.code};
    } catch (long value) {
      throw Error{2000 + static_cast<int>(value)};
    }
  })) {
  }
  task.handle.destroy();
  balance(name);
}

int main() {
  for (int kind = 0; kind < 5; ++kind) {
    drive("nested", nested(kind));
  }
  for (int kind = 0; kind < 3; ++kind) {
    drive("whole", whole(kind));
  }
  drive("loop", loop());
  for (int resumes = 0; resumes < 5; ++resumes) {
    told("owner", [&] {
      Owner owner{nested(resumes == 4 ? 3 : 0)};
      for (int i = 0; i < resumes; ++i) {
        if (!owner.task.handle.done()) {
          owner.task.handle.resume();
        }
      }
      throw Error{resumes};
    });
    balance("owner");
  }
}
