// An array is a by-value parameter, which is copied into the frame.
#include "generator.h"
struct table {
  int of[64];
};
static generator<int> each(table all) {
  for (int value : all.of)
    co_yield value;
}
int main() {
  table all{};
  for (int i = 0; i < 64; i++)
    all.of[i] = given(i);
  int sum = 0;
  for (int value : each(all))
    sum += value;
  say(sum);
}
