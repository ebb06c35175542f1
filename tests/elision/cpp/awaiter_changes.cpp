// An awaiter that holds two tasks: await_suspend starts the first, and leaves the second in its place.
#include "task.h"
struct in_turn {
  task<int> &first, &second;
  task<int> *current;
  in_turn(task<int> &first, task<int> &second) : first(first), second(second), current(&first) {}
  bool await_ready() noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> who) noexcept {
    auto next = current->await_suspend(who);
    current = &second;
    return next;
  }
  task<int> &await_resume() noexcept { return *current; }
};
static task<int> number(int value) { co_return value + given(1); }
static task<int> both() {
  task<int> first = number(10), second = number(20);
  task<int> &left = co_await in_turn(first, second);
  int sum = co_await left;
  co_return sum * 100 + first.await_resume();
}
int main() { say(run(both())); }
