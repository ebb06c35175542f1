// The owner is a member of an object, and functions that are not inlined use it.
#include "generator.h"
class counter {
  generator<int> values;

public:
  explicit counter(int limit) : values(upto(limit)) {}
  [[gnu::noinline]] int next() { return values.next() ? values.value() : -1; }
};
int main() {
  counter all(given(4));
  int sum = 0, value;
  while ((value = all.next()) >= 0)
    sum += value;
  say(sum);
}
