// One creation site creates a number of them, known at run time, that are alive at once.
#include "generator.h"
static void *release(generator<int> values) { return std::exchange(values.of, {}).address(); }
int main() {
  int count = given(6);
  void *kept[10];
  for (int i = 0; i < count; i++)
    kept[i] = release(upto(i + 1)), watched(kept[i]);
  int sum = 0;
  for (int i = 0; i < count; i++) {
    auto handle = generator<int>::handle::from_address(kept[i]);
    handle.resume();
    sum += handle.done() ? 0 : handle.promise().value + 1;
    handle.destroy();
  }
  say(sum);
}
