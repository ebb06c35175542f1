// Three coroutines poll each other in a chain.
#include "bare.h"
struct polled {
  bare child;
  ~polled() { child.destroy(); }
};
static bare inner(int limit) {
  for (int i = 0; i < limit; i++)
    co_yield i;
}
static bare middle(int limit) {
  polled all{inner(limit)};
  while (!all.child.done()) {
    all.child.resume();
    co_yield all.child.promise().value + 1;
  }
}
static bare outer(int limit) {
  polled all{middle(limit)};
  while (!all.child.done()) {
    all.child.resume();
    co_yield all.child.promise().value * 2;
  }
}
int main() {
  auto handle = outer(given(4));
  int sum = 0;
  while (!handle.done()) {
    handle.resume();
    sum += handle.promise().value;
  }
  handle.destroy();
  say(sum);
}
