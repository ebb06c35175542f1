// Two generators of one kind are resumed alternately, depending on their values.
#include "generator.h"
int main() {
  auto one = upto(given(5)), other = upto(given(9));
  bool more = one.next(), others = other.next();
  while (more || others) {
    bool first = more && (!others || one.value() * 3 < other.value() + 2);
    say(first ? one.value() : -other.value());
    if (first)
      one.of.resume();
    else
      other.of.resume();
    more = !one.of.done();
    others = !other.of.done();
  }
}
