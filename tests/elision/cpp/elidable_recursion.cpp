// A task awaits itself, three levels deep, and each is elidable.
#define TASK_IS ELIDABLE
#include "task.h"
static task<int> down(int depth) {
  if (depth == 0)
    co_return 1;
  co_return 2 * co_await down(depth - 1);
}
int main() { say(run(down(given(3)))); }
