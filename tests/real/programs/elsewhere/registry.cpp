#include "registry.h"

#include <cstdio>

static std::coroutine_handle<work::promise_type> waiting[16];
static int priorities[16];
static int count = 0;

void enlist::await_suspend(std::coroutine_handle<work::promise_type> h) {
  int at = count++;
  for (; at > 0 && priorities[at - 1] < priority; --at) {
    priorities[at] = priorities[at - 1];
    waiting[at] = waiting[at - 1];
  }
  priorities[at] = priority;
  waiting[at] = h;
}

int registry_turn() {
  std::coroutine_handle<work::promise_type> now[16];
  int n = count;
  for (int i = 0; i < n; ++i) {
    now[i] = waiting[i];
  }
  count = 0;
  for (int i = 0; i < n; ++i) {
    std::printf("  resume at progress %d\n", now[i].promise().progress);
    now[i].resume();
  }
  return n;
}

void registry_drop() {
  while (count) {
    --count;
    std::printf("  drop at progress %d\n", waiting[count].promise().progress);
    waiting[count].destroy();
  }
}

work registry_audit(work watched, int n) {
  long seen = 0;
  for (int i = 0; i < n && !watched.h.done(); ++i) {
    seen = seen * 10 + watched.h.promise().progress;
    co_await enlist{-1};
  }
  co_return seen;
}

bool finished(std::coroutine_handle<> h) { return h.done(); }
