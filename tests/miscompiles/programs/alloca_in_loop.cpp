// A list of what a loop asks the stack for: each time it is other memory, though of one size.
#include <coroutine>
#include <cstdio>

struct task {
  struct promise_type {
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> coro;
};

struct node {
  node *next;
  int value;
};

static task list(int count) {
  node *first = nullptr;
  for (int i = 0; i < count; i++) {
    node *made = static_cast<node *>(__builtin_alloca(sizeof(node)));
    made->next = first;
    made->value = i;
    first = made;
  }
  co_await std::suspend_always{};
  int shown = 0; // in one place they would be a ring
  for (node *at = first; at && shown < 8; at = at->next, shown++) {
    std::printf("%d ", at->value);
  }
  std::printf("\n");
}

int main() {
  task t = list(4);
  while (!t.coro.done()) {
    t.coro.resume();
  }
  t.coro.destroy();
}
