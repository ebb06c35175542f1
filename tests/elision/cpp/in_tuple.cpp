// Three generators are in a tuple.
#include <tuple>
#include "generator.h"
int main() {
  std::tuple all{upto(given(3)), upto(given(4)), upto(given(5))};
  int sum = 0;
  std::apply([&](auto &...each) { ((each.next(), each.next(), sum += each.value()), ...); }, all);
  say(sum);
}
