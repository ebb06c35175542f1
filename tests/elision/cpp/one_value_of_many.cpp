// A generator is destroyed while it is suspended in its body.
#include "generator.h"
struct noisy {
  ~noisy() { say(7); }
};
static generator<int> with_local(int from) {
  noisy local;
  for (;;)
    co_yield from++;
}
int main() {
  auto values = with_local(given(3));
  values.next();
  say(values.value());
}
