// A loop on the caller's stack resumes the coroutines in its queue, which are destroyed after it.
#include "bare.h"
int main() {
  auto a = count(given(3)), b = count(given(4));
  bare queue[2] = {a, b};
  int left = 2, sum = 0;
  for (int i = 0; left; i = 1 - i)
    if (!queue[i].done()) {
      queue[i].resume();
      sum += queue[i].promise().value;
      left -= queue[i].done();
    }
  a.destroy();
  b.destroy();
  say(sum);
}
