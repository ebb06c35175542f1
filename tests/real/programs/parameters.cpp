// By-value parameters with constructors and destructors: each is moved into the frame once, the caller's copy dies when
// the ramp returns, the frame's copy when the coroutine ends or is destroyed. Some are references and large structs.
#include <coroutine>
#include <cstdio>
#include <utility>

struct traced {
  const char *name;
  int id;
  static int serial;
  explicit traced(const char *n) : name(n), id(++serial) { std::printf("  make %s#%d\n", name, id); }
  traced(const traced &o) : name(o.name), id(++serial) { std::printf("  copy %s#%d from #%d\n", name, id, o.id); }
  traced(traced &&o) noexcept : name(o.name), id(++serial) { std::printf("  move %s#%d from #%d\n", name, id, o.id); }
  ~traced() { std::printf("  drop %s#%d\n", name, id); }
};
int traced::serial = 0;

struct big {
  long words[12];
};

struct job {
  struct promise_type {
    // The promise may look at the coroutine's parameters.
    template <class... Args> explicit promise_type(Args &&...) : parameters(sizeof...(Args)) {}
    std::size_t parameters;
    job get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
    ~promise_type() { std::printf("  drop promise of %zu parameters\n", parameters); }
  };
  std::coroutine_handle<promise_type> h;
};

static job by_value(traced a, traced b) {
  std::printf("  in body %s#%d %s#%d\n", a.name, a.id, b.name, b.id);
  co_await std::suspend_always{};
  std::printf("  again %s#%d %s#%d\n", a.name, a.id, b.name, b.id);
}

static job by_reference(traced &a, const traced &b, traced c) {
  co_await std::suspend_always{};
  std::printf("  sees %s#%d %s#%d %s#%d\n", a.name, a.id, b.name, b.id, c.name, c.id);
}

static job plain(big b, int n, double d, const char *text, traced) {
  long sum = 0;
  for (long &w : b.words) {
    sum += w;
    w = -w;
    if (sum % 3 == 0) {
      co_await std::suspend_always{};
    }
  }
  std::printf("  sum %ld, then %ld; %d %.2f %s\n", sum, b.words[11], n, d, text);
}

struct object {
  int state;
  job method(int by, traced t) {
    co_await std::suspend_always{};
    state += by;
    std::printf("  object %d with %s#%d\n", state, t.name, t.id);
  }
};

static void finish(const char *what, job j) {
  std::printf("%s\n", what);
  while (!j.h.done()) {
    j.h.resume();
  }
  j.h.destroy();
}

int main() {
  traced x("x"), y("y");
  finish("by value", by_value(x, std::move(y)));
  finish("by reference", by_reference(x, y, traced("z")));
  big b{};
  for (int i = 0; i < 12; ++i) {
    b.words[i] = i * i;
  }
  finish("plain", plain(b, 7, 2.5, "text", x));
  object o{40};
  finish("method", o.method(2, traced("t")));
  std::puts("destroyed early");
  job early = by_value(traced("p"), traced("q"));
  early.h.destroy();
  job later = by_value(traced("r"), traced("s"));
  later.h.resume();
  later.h.destroy();
  int captured = 5;
  auto lambda = [&captured, t = traced("cap")](int n) -> job {
    co_await std::suspend_always{};
    std::printf("  lambda %d %s\n", captured += n, t.name);
  };
  finish("lambda", lambda(10));
}
