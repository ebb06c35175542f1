// A task that awaits two children, which are elided into its frame: at -O2 its resume function copies the frame's
// address to another register than that of its parameter.
#include <coroutine>
#include <cstdio>
#include <exception>
#include <utility>

struct Task {
  struct promise_type {
    int value = 0;
    std::coroutine_handle<> continuation;
    std::exception_ptr error;
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept
      {
        return h.promise().continuation ? h.promise().continuation : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(int v) { value = v; }
    void unhandled_exception() { error = std::current_exception(); }
  };
  explicit Task(std::coroutine_handle<promise_type> h) : handle(h) {}
  Task(Task &&other) noexcept : handle(std::exchange(other.handle, {})) {}
  ~Task()
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
  int await_resume()
  {
    if (handle.promise().error)
      std::rethrow_exception(handle.promise().error);
    return handle.promise().value;
  }
  std::coroutine_handle<promise_type> handle;
};

Task leaf(int n) { co_return n + 1; }

Task request(int n)
{
  int a = co_await leaf(n);
  int b = co_await leaf(a);
  std::puts("both awaited");
  co_return b;
}

int main()
{
  Task task = request(5);
  task.handle.promise().value = 5;
  task.handle.resume();
  std::printf("%d\n", task.await_resume());
}
