// The awaited task throws, and its awaiter catches.
#include "task.h"
static task<int> leaf(int value) {
  if (value)
    throw value;
  co_return value;
}
static task<int> root(int value) {
  try {
    co_return co_await leaf(value);
  } catch (int thrown) {
    co_return -thrown;
  }
}
int main() { say(run(root(given(3)))); }
