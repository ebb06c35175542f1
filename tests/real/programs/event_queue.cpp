// Awaitables with state, suspended into an event queue and resumed from it in order of time: several
// workers, a channel between two of them, and workers still waiting when the queue is torn down.
#include <coroutine>
#include <cstdio>

struct queue {
  struct entry {
    long due;
    long order;
    std::coroutine_handle<> who;
  };
  entry entries[32];
  int count = 0;
  long now = 0, serial = 0;

  void add(long due, std::coroutine_handle<> who) { entries[count++] = {due, serial++, who}; }
  bool step() {
    if (count == 0) {
      return false;
    }
    int best = 0;
    for (int i = 1; i < count; ++i) {
      if (entries[i].due < entries[best].due ||
          (entries[i].due == entries[best].due && entries[i].order < entries[best].order)) {
        best = i;
      }
    }
    entry e = entries[best];
    entries[best] = entries[--count];
    now = e.due;
    e.who.resume();
    return true;
  }
};

struct sleep_for {
  queue &q;
  long delay;
  long woken_at = 0, asked_at = 0;
  bool await_ready() {
    asked_at = q.now;
    return delay == 0;
  }
  void await_suspend(std::coroutine_handle<> h) {
    woken_at = q.now + delay;
    q.add(woken_at, h);
  }
  long await_resume() const { return woken_at - asked_at; }
};

struct detached {
  struct promise_type {
    detached get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<> h;
};

struct channel {
  queue &q;
  int slots[2];
  int used = 0;
  std::coroutine_handle<> sender, receiver;

  struct send_op {
    channel &c;
    int value;
    bool await_ready() { return c.used < 2; }
    void await_suspend(std::coroutine_handle<> h) { c.sender = h; }
    void await_resume() {
      c.slots[c.used++] = value;
      if (c.receiver) {
        c.q.add(c.q.now, c.receiver);
        c.receiver = {};
      }
    }
  };
  struct receive_op {
    channel &c;
    bool await_ready() { return c.used > 0; }
    void await_suspend(std::coroutine_handle<> h) { c.receiver = h; }
    int await_resume() {
      int v = c.slots[0];
      c.slots[0] = c.slots[1];
      --c.used;
      if (c.sender) {
        c.q.add(c.q.now, c.sender);
        c.sender = {};
      }
      return v;
    }
  };
  send_op send(int v) { return {*this, v}; }
  receive_op receive() { return {*this}; }
};

static detached worker(queue &q, const char *name, long step, int times) {
  long slept = 0;
  for (int i = 0; i < times; ++i) {
    slept += co_await sleep_for{q, step * (i % 3)};
    std::printf("[%3ld] %s turn %d, slept %ld\n", q.now, name, i, slept);
  }
}

static detached producer(queue &q, channel &c, int n) {
  for (int i = 0; i < n; ++i) {
    co_await c.send(i * i);
    if (i % 4 == 0) {
      co_await sleep_for{q, 5};
    }
  }
  co_await c.send(-1);
  std::puts("producer out");
}

static detached consumer(queue &q, channel &c) {
  int total = 0;
  for (;;) {
    int v = co_await c.receive();
    if (v < 0) {
      break;
    }
    total += v;
    std::printf("[%3ld] got %d, total %d\n", q.now, v, total);
    if (v == 9) {
      co_await sleep_for{q, 30};
    }
  }
  std::puts("consumer out");
}

static detached forever(queue &q) {
  for (long beat = 1;; ++beat) {
    co_await sleep_for{q, 100};
    std::printf("[%3ld] beat %ld\n", q.now, beat);
  }
}

int main() {
  queue q;
  channel c{q, {0, 0}};
  detached all[] = {worker(q, "ant", 3, 6), worker(q, "bee", 5, 4), producer(q, c, 9), consumer(q, c), forever(q)};
  while (q.now < 350 && q.step()) {
  }
  for (detached &d : all) {
    std::printf("done %d\n", d.h.done());
    d.h.destroy();
  }
}
