// The owner is used through an interface with a known dynamic type.
#include "generator.h"
struct source {
  virtual bool next() = 0;
  virtual int value() = 0;
  virtual ~source() = default;
};
struct over : source {
  generator<int> values;
  explicit over(int limit) : values(upto(limit)) {}
  bool next() override { return values.next(); }
  int value() override { return values.value(); }
};
static int sum_of(source &from) {
  int sum = 0;
  while (from.next())
    sum += from.value();
  return sum;
}
int main() {
  over all(given(5));
  say(sum_of(all));
}
