// A recursive generator over a tree: each level delegates to its child by symmetric transfer and is continued from the
// child's final suspend, so that yielding from depth d costs one resume and the leaf's handle moves to the root.
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <utility>

struct node {
  int key;
  node *left, *right;
};

struct walk {
  struct promise_type;
  using handle = std::coroutine_handle<promise_type>;
  struct promise_type {
    promise_type *root = this;
    handle leaf = handle::from_promise(*this), parent;
    int value = 0;

    walk get_return_object() { return walk{handle::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct back_to_parent {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(handle self) noexcept {
        promise_type &p = self.promise();
        if (!p.parent) {
          return std::noop_coroutine();
        }
        p.root->leaf = p.parent;
        return p.parent;
      }
      void await_resume() noexcept {}
    };
    back_to_parent final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) noexcept {
      root->value = v;
      return {};
    }
    struct into_child;
    into_child yield_value(walk &&child) noexcept;
    void return_void() noexcept {}
    void unhandled_exception() {}
  };

  explicit walk(handle h) : coro(h) {}
  walk(walk &&o) noexcept : coro(std::exchange(o.coro, {})) {}
  ~walk() {
    if (coro) {
      coro.destroy();
    }
  }
  bool next() {
    coro.promise().leaf.resume();
    return !coro.done();
  }
  int value() { return coro.promise().value; }
  handle coro;
};

struct walk::promise_type::into_child {
  walk child;
  bool await_ready() noexcept { return !child.coro; }
  std::coroutine_handle<> await_suspend(handle self) noexcept {
    promise_type &c = child.coro.promise();
    c.parent = self;
    c.root = self.promise().root;
    c.root->leaf = child.coro;
    return child.coro;
  }
  void await_resume() noexcept {}
};

walk::promise_type::into_child walk::promise_type::yield_value(walk &&child) noexcept { return {std::move(child)}; }

static walk in_order(const node *n) {
  if (n->left) {
    co_yield in_order(n->left);
  }
  co_yield n->key;
  if (n->right) {
    co_yield in_order(n->right);
  }
}

static int nodes_left = 0;
static node pool[4096];

static node *insert(node *n, int key) {
  if (!n) {
    node *fresh = &pool[nodes_left++];
    *fresh = {key, nullptr, nullptr};
    return fresh;
  }
  (key < n->key ? n->left : n->right) = insert(key < n->key ? n->left : n->right, key);
  return n;
}

int main() {
  node *root = nullptr;
  unsigned x = 12345;
  for (int i = 0; i < 200; ++i) {
    x = x * 1103515245u + 12345u;
    root = insert(root, static_cast<int>(x >> 16) % 1000);
  }
  int count = 0, last = -1;
  unsigned sum = 0;
  {
    walk w = in_order(root);
    while (w.next()) {
      if (w.value() < last) {
        std::puts("out of order");
        return 1;
      }
      last = w.value();
      sum = sum * 31 + static_cast<unsigned>(last);
      ++count;
    }
  }
  std::printf("%d keys, last %d, hash %u\n", count, last, sum);
  node *list = nullptr; // a degenerate tree: a list of 1,500 nodes, abandoned in the middle
  for (int i = 0; i < 1500; ++i) {
    list = insert(list, i);
  }
  walk w = in_order(list);
  for (int i = 0; i < 750; ++i) {
    w.next();
  }
  std::printf("left at %d\n", w.value());
}
