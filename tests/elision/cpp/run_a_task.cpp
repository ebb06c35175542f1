// A task is created, run and destroyed.
#include "task.h"
static task<int> one(int value) { co_return value + 1; }
int main() { say(run(one(given(3)))); }
