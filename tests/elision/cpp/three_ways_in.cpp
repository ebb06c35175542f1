// A coroutine yields at three places and is resumed at three, so that its state merges with values that its driver knows.
#include "generator.h"
static generator<int> places(int limit) {
  for (int i = 0; i < limit; i++) {
    co_yield i;
    if (i % 3 == 1)
      co_yield -i;
    if (i % 4 == 2)
      co_yield 100 + i;
  }
}
int main() {
  auto all = places(given(9));
  bool seen = false;
  int last = 7, before = 3;
  for (bool more = all.next(); more; more = all.next()) {
    int value = all.value();
    if (value < 0) {
      say(last - value);
      if (!all.next())
        break;
      value = all.value() + before;
    } else if (value > 100 && !seen) {
      seen = true;
      if (!all.next())
        break;
      before = last;
    }
    last = value;
    say(last + before);
  }
  say(last ^ before);
}
