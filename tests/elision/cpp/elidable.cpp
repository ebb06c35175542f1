// The awaiter declares that the task is elidable.
#define TASK_IS ELIDABLE
#include "task.h"
static task<int> leaf(int value) { co_return value + 1; }
static task<int> root(int value) { co_return co_await leaf(value) * co_await leaf(value + 1); }
int main() { say(run(root(given(3)))); }
