// A chain of three tasks by symmetric transfer, each awaited where it is created.
#include "task.h"
static task<int> leaf(int value) { co_return value + 1; }
static task<int> middle(int value) { co_return co_await leaf(value) + co_await leaf(value + 1); }
static task<int> root(int value) { co_return 2 * co_await middle(value); }
int main() { say(run(root(given(3)))); }
