// The program of test_gdb_coro.py: a chain of three waiting coroutines, the last of which waits for an external event.
#include <coroutine>
#include <exception>
#include <utility>

struct task {
  struct promise_type {
    std::coroutine_handle<> continuation; // the awaiter
    int result = 0;
    std::exception_ptr error; // its destructor is inlined at the start of a destroy function
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct final_awaiter {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept
      {
        std::coroutine_handle<> next = ended.promise().continuation;
        return next ? next : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    final_awaiter final_suspend() noexcept { return {}; }
    void return_value(int value) { result = value; }
    void unhandled_exception() { error = std::current_exception(); }
  };

  std::coroutine_handle<promise_type> handle;
  task(std::coroutine_handle<promise_type> started) : handle(started) {}
  task(task &&other) : handle(std::exchange(other.handle, nullptr)) {}
  ~task()
  {
    if (handle)
      handle.destroy();
  }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting)
  {
    handle.promise().continuation = waiting;
    return handle;
  }
  int await_resume() { return handle.promise().result; }
};

std::coroutine_handle<> outside; // resumed by the external event

struct world {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> waiting) { outside = waiting; }
  void await_resume() {}
};

__attribute__((noinline)) void look(int value)
{
  asm volatile("" ::"r"(value) : "memory"); // looks
}

task leaf(int depth)
{
  int doubled = 2 * depth;
  co_await world{}; // leaf waits
  look(doubled); // leaf runs
  co_return doubled;
}

task middle(int depth)
{
  int found = co_await leaf(depth + 1); // middle waits
  co_return found + 1;
}

task root(int depth)
{
  int found = co_await middle(depth + 1); // root waits
  look(found);
  co_return found;
}

int main()
{
  task started = root(40);
  started.handle.resume();
  look(0);
  outside.resume();
}
