// Tasks are arguments of an awaited task; the first argument is elidable, the second is not.
#define TASK_IS ELIDABLE
#include "task.h"
static task<int> leaf(int value) { co_return value + 1; }
static task<int> add([[clang::coro_await_elidable_argument]] task<int> &&a, task<int> &&b) {
  int first = co_await a;
  co_return first + co_await b;
}
static task<int> root(int value) { co_return co_await add(leaf(value), leaf(value + 1)); }
int main() { say(run(root(given(3)))); }
