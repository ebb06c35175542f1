// Handles cross translation units in both directions: the registry resumes and destroys this unit's coroutines, and
// this unit the registry's. Units lowered by different compilers must agree on the frame's header.
#include <cstdio>
#include <initializer_list>

#include "registry.h"

static work worker(const char *name, int priority, int turns) {
  long total = 0;
  for (int i = 1; i <= turns; ++i) {
    total += co_await enlist{priority} * i;
    std::printf("%s %d/%d total %ld\n", name, i, turns, total);
  }
  co_return total;
}

static work counted(int turns) {
  struct scope {
    ~scope() { std::puts("scope left"); }
  } s;
  for (int i = 0; i < turns; ++i) {
    std::coroutine_handle<work::promise_type> self;
    struct me {
      std::coroutine_handle<work::promise_type> &out;
      bool await_ready() { return false; }
      bool await_suspend(std::coroutine_handle<work::promise_type> h) {
        out = h;
        return false;
      }
      void await_resume() {}
    };
    co_await me{self};
    self.promise().progress = i;
    co_await enlist{5};
  }
  co_return 77;
}

int main() {
  work a = worker("ant", 3, 3), b = worker("bee", 9, 2), c = counted(4);
  work audit = registry_audit(c, 5);
  for (work w : {a, b, c, audit}) {
    w.h.resume();
  }
  for (int i = 0; i < 3; ++i) {
    std::printf("turn of %d\n", registry_turn());
  }
  for (work w : {a, b, c, audit}) {
    std::printf("finished %d result %ld\n", finished(w.h), w.h.promise().result);
    if (w.h.done()) {
      w.h.destroy();
    }
  }
  registry_drop();
}
