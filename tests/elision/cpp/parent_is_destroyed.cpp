// The parent is destroyed while its child is suspended.
#include "generator.h"
struct noisy {
  int name;
  ~noisy() { say(name); }
};
static generator<int> child(int name) {
  noisy local{name};
  for (;;)
    co_yield name;
}
static generator<int> parent(int name) {
  noisy local{name};
  for (int value : child(name + 1))
    co_yield value;
}
int main() {
  auto values = parent(given(3));
  values.next();
  say(values.value());
}
