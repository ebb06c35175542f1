// Parameters of a class with trivial_abi: the callee destroys them, so the ramp does so after the frame is freed.
// Destroying the coroutine after an exception must not destroy them again.
#include "witness.h"
struct [[clang::trivial_abi]] Parameter {
  Witness *w;
  int alive = 77;
  explicit Parameter(const char *n) : w(new Witness(n)) {
    std::printf("    parameter\n");
    ++live;
  }
  Parameter(Parameter &&o) : w(std::exchange(o.w, nullptr)) {
    ++live;
    std::printf("    moved\n");
  }
  ~Parameter() {
    --live;
    std::printf("    end %s %d\n", w ? w->name : "moved from", alive);
    alive = 0;
    delete w;
  }
};
struct Promise {
  Witness w{"promise"};
  TaskOf<Promise> get_return_object() { return TaskOf<Promise>(std::coroutine_handle<Promise>::from_promise(*this)); }
  std::suspend_always initial_suspend() noexcept { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  void return_void() {}
  void unhandled_exception() { throw; }
};
template <typename... A> struct std::coroutine_traits<TaskOf<Promise>, A...> {
  using promise_type = Promise;
};
static TaskOf<Promise> f(Parameter a, int code) {
  Witness l("local");
  co_await std::suspend_always{};
  if (code)
    throw Error{code};
}
int main() {
  for (int code = 0; code < 2; code++) {
    {
      auto t = f(Parameter("p"), code);
      t.step();
      t.step();
      std::printf("done %d\n", t.handle.done());
    }
    balance("x");
  }
}
