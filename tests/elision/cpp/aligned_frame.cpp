// A local variable is aligned to 64 bytes, and its address is tested.
#include <cstdint>
#include "generator.h"
static generator<int> aligned(int limit) {
  alignas(64) int local[4] = {limit, limit + 1, 2, 3};
  for (int i = 0; i < 4; i++) {
    watched(&local);
    co_yield local[i] + int(reinterpret_cast<std::uintptr_t>(&local) % 64);
  }
}
int main() {
  int sum = 0;
  for (int value : aligned(given(5)))
    sum += value;
  say(sum);
}
