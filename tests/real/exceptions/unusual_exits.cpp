// Coroutines that an exception ends in unusual places, destroyed after each number of steps: in parts of an await, in
// arguments next to an await, in handlers, in arrays under construction, in awaited coroutines, in destructors.
// unhandled_exception rethrows, throws another error, or stores it. Each object is destroyed once. The events of all
// runs of a coroutine are printed as one hash. Clang's builds crash, destroy objects twice, or not at all;
// unusual_exits.expected has the correct output.
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

struct Error {
  int code;
};

static std::uint64_t events;
static unsigned ended;
static int live;

static void trace(const char *event) {
  for (; *event; event++)
    events = (events ^ (unsigned char)*event) * 0x100000001b3;
}

struct Once {
  const char *name;
  unsigned alive = 1234567;
  explicit Once(const char *given) : name(given) {
    ++live;
    trace("+");
    trace(name);
  }
  Once(Once &&other) : Once(other.name) {}
  ~Once() {
    trace("-");
    trace(name);
    --live;
    if (alive != 1234567)
      std::printf("  %s is destroyed twice\n", name);
    alive = 0;
  }
};

static int countdown = -1; // the call of maybe() that throws
static void maybe() {
  if (countdown-- == 0)
    throw Error{7};
}

enum Policy { rethrows, replaces, stores };

template <Policy policy, bool lazy> struct Task {
  struct promise_type {
    Once own{"promise"};
    std::exception_ptr stored;
    int value = 0;
    promise_type() { maybe(); }
    Task get_return_object() {
      maybe();
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    struct Start {
      Once own{"start"};
      bool await_ready() {
        maybe();
        return !lazy;
      }
      void await_suspend(std::coroutine_handle<>) { maybe(); }
      void await_resume() { maybe(); }
    };
    Start initial_suspend() {
      maybe();
      return {};
    }
    struct End {
      Once own{"end"};
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<>) noexcept {}
      void await_resume() noexcept {}
    };
    End final_suspend() noexcept { return {}; }
    void return_value(int given) {
      Once local("returning");
      maybe();
      value = given;
    }
    std::suspend_always yield_value(int given) {
      maybe();
      value = given;
      return {};
    }
    void unhandled_exception() {
      Once local("handling");
      if constexpr (policy == rethrows)
        throw;
      else if constexpr (policy == replaces)
        throw Error{8};
      else
        stored = std::current_exception();
    }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Task(std::coroutine_handle<promise_type> given) : handle(given) {}
  Task(Task &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Task() {
    if (handle)
      handle.destroy();
  }
  bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<>) {
    while (!handle.done())
      handle.resume();
    return false;
  }
  int await_resume() {
    if (handle.promise().stored)
      std::rethrow_exception(handle.promise().stored);
    return handle.promise().value;
  }
};

struct Pause {
  Once own{"pause"};
  bool await_ready() {
    maybe();
    return false;
  }
  void await_suspend(std::coroutine_handle<>) { maybe(); }
  int await_resume() {
    maybe();
    return 3;
  }
};

struct Parameter {
  Once own;
  explicit Parameter(const char *name) : own(name) {}
  Parameter(Parameter &&other) : own(other.own.name) { maybe(); }
};

static int sum(Once, int a, Once, int b) { return a + b; }

template <Policy P, bool L> struct Bodies {
  using T = Task<P, L>;
  static T straight(Parameter) {
    Once a("a");
    maybe();
    co_await Pause{};
    Once b("b");
    maybe();
    co_await Pause{};
    maybe();
    co_return 1;
  }
  static T arguments(Parameter) {
    int result = sum(Once("left"), co_await Pause{}, Once("right"), co_await Pause{});
    maybe();
    co_return result;
  }
  static T handlers(Parameter) {
    Once outer("outer");
    try {
      Once inner("inner");
      co_await Pause{};
      maybe();
      throw 5;
    } catch (int) {
      Once handler("handler");
      maybe();
    }
    try {
      co_await Pause{};
      throw Error{2};
    } catch (const Error &) {
      Once handler("second handler");
      maybe();
      throw;
    }
  }
  static T function_try(Parameter) try {
    Once local("local");
    co_await Pause{};
    maybe();
    throw Error{3};
  } catch (const Error &error) {
    Once handler("handler");
    if (error.code == 3)
      throw;
    co_return 2;
  }
  static T loop(Parameter first, Parameter second) {
    for (int i = 0; i < 3; i++) {
      Once each("each");
      co_yield i;
      if (i == 1)
        continue;
      Once late("late");
      maybe();
    }
    maybe();
    co_return 4;
  }
  static T never_ends(Parameter) {
    Once local("local");
    for (;;) {
      Once each("each");
      co_yield 1;
      maybe();
    }
  }
  static T array(Parameter) {
    struct Element {
      Once own{"element"};
      Element() { maybe(); }
    };
    Element before[2];
    co_await Pause{};
    Element after[2];
    co_await Pause{};
    co_return 5;
  }
  static T branches(Parameter, int which) {
    alignas(64) Once aligned("aligned");
    if (which > 1) {
      Once local("many");
      co_await Pause{};
      if (which > 2)
        throw Error{4};
      maybe();
    } else if (which) {
      co_await Pause{};
      throw Error{5};
    }
    std::string text(40, 'x');
    co_await Pause{};
    co_return (int) text.size();
  }
  static T awaits(Parameter) {
    Once local("local");
    int a = co_await straight(Parameter("passed"));
    Once after("after");
    co_return a + co_await arguments(Parameter("passed again"));
  }
  static T lambda(Parameter) {
    Once local("local");
    auto inner = [](Parameter own, int n) -> T {
      co_await Pause{};
      maybe();
      co_return n;
    };
    T task = inner(Parameter("captured"), 6);
    co_await Pause{};
    co_return co_await task;
  }
  static T guards(Parameter) {
    struct Guard {
      Once own{"guard"};
      ~Guard() {
        try {
          maybe();
        } catch (const Error &) {
          trace("caught");
        }
      }
    };
    Guard guard;
    co_await Pause{};
    {
      Guard inner;
      co_await Pause{};
    }
    maybe();
    co_return 7;
  }
};

template <typename Action> static bool ends(Action &&action) {
  try {
    action();
    return true;
  } catch (const Error &error) {
    trace("thrown");
    ended += error.code;
    return false;
  }
}

template <typename Make> static void drive(const char *name, Make make) {
  events = 0xcbf29ce484222325;
  ended = 0;
  for (int fatal = 0; fatal < 24; fatal++)
    for (int steps = 0; steps < 4; steps++) {
      countdown = fatal;
      ends([&] {
        auto task = make();
        for (int i = 0; i < steps && !task.handle.done(); i++)
          if (!ends([&] { task.handle.resume(); }))
            break;
        countdown = -1;
        trace(task.handle.done() ? "done" : "suspended");
      });
      if (live)
        std::printf("  %d objects left after %d steps, call %d throws\n", live, steps, fatal);
      live = 0;
    }
  std::printf("%s: %u, %016llx\n", name, ended, (unsigned long long)events);
}

template <Policy P, bool L> static void some(const char *what) {
  using B = Bodies<P, L>;
  std::printf("%s\n", what);
  drive("straight", +[] { return B::straight(Parameter("p")); });
  drive("handlers", +[] { return B::handlers(Parameter("p")); });
  drive("loop", +[] { return B::loop(Parameter("p"), Parameter("q")); });
  drive("never ends", +[] { return B::never_ends(Parameter("p")); });
}

int main() {
  using B = Bodies<rethrows, true>;
  some<rethrows, true>("rethrows");
  drive("arguments", +[] { return B::arguments(Parameter("p")); });
  drive("function try", +[] { return B::function_try(Parameter("p")); });
  drive("array", +[] { return B::array(Parameter("p")); });
  drive("branch 1", +[] { return B::branches(Parameter("p"), 1); });
  drive("branch 2", +[] { return B::branches(Parameter("p"), 2); });
  drive("branch 3", +[] { return B::branches(Parameter("p"), 3); });
  drive("awaits", +[] { return B::awaits(Parameter("p")); });
  drive("lambda", +[] { return B::lambda(Parameter("p")); });
  drive("guards", +[] { return B::guards(Parameter("p")); });
  some<rethrows, false>("rethrows, starts eagerly");
  some<replaces, true>("replaces");
  some<stores, true>("stores");
}
