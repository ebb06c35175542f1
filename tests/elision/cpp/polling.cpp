// A coroutine polls its child: it resumes the child and suspends itself until the child is done.
#include "bare.h"
struct polled {
  bare child;
  ~polled() { child.destroy(); }
};
static bare parent(int limit) {
  polled all{count(limit)};
  int sum = 0;
  while (!all.child.done()) {
    all.child.resume();
    sum += all.child.promise().value;
    co_yield sum;
  }
}
int main() {
  auto handle = parent(given(4));
  int last = 0;
  for (handle.resume(); !handle.done(); handle.resume())
    last = handle.promise().value;
  handle.destroy();
  say(last);
}
