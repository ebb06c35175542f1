// Each step before the body throws: the allocation, the promise's constructor, get_return_object,
// initial_suspend, and the parts of the initial await. All exceptions reach the caller, and nothing leaks. An exception
// of the initial await_resume reaches unhandled_exception.
#include "witness.h"
#include <cstdlib>
#include <new>

enum Part { nothing, allocation, constructor, object, initial, ready, suspend, resume, body };
static const char *const names[] = {"nothing", "allocation", "constructor", "object", "initial",
                                    "ready",   "suspend",    "resume",      "body"};
static Part wanted = nothing;
static int frames = 0;
static void *volatile known; // an escaped handle keeps the frame on the heap

static void maybe(Part part) {
  if (part == wanted) {
    throw Error{part};
  }
}

struct Start {
  bool lazy;
  Witness witness{"initial awaiter"};
  explicit Start(bool given) : lazy(given) {}
  bool await_ready() {
    maybe(ready);
    return !lazy;
  }
  void await_suspend(std::coroutine_handle<>) { maybe(suspend); }
  void await_resume() { maybe(resume); }
};

struct Task {
  struct promise_type {
    bool lazy;
    Witness witness{"promise"};
    promise_type(bool given, const Witness &) : lazy(given) { maybe(constructor); }
    void *operator new(std::size_t size) {
      maybe(allocation);
      ++frames;
      return std::malloc(size);
    }
    void operator delete(void *frame) {
      --frames;
      std::free(frame);
    }
    Task get_return_object() {
      maybe(object);
      auto handle = std::coroutine_handle<promise_type>::from_promise(*this);
      known = handle.address();
      return {handle};
    }
    Start initial_suspend() {
      maybe(initial);
      return Start(lazy);
    }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() { std::puts("    returned"); }
    void unhandled_exception() {
      try {
        throw;
      } catch (const Error &error) {
        std::printf("    unhandled %s\n", names[error.code]);
      }
    }
  };
  std::coroutine_handle<promise_type> handle;
};

static Task work(bool, const Witness &) {
  Witness local("local");
  maybe(body);
  co_await std::suspend_always{};
}

int main() {
  Witness argument("argument");
  for (bool lazy : {false, true}) {
    for (Part part : {nothing, allocation, constructor, object, initial, ready, suspend, resume, body}) {
      wanted = part;
      std::printf("%s %s\n", lazy ? "lazy" : "eager", names[part]);
      Task task{};
      told("call", [&] { task = work(lazy, argument); });
      if (task.handle) {
        while (!task.handle.done()) {
          told("resume", [&] { task.handle.resume(); });
        }
        task.handle.destroy();
      }
      wanted = nothing;
      std::printf("  %d frames, %d live\n", frames, live);
    }
  }
}
