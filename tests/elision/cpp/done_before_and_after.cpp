// Its `done` is queried before and after each resume, and its owner destroys it.
#include "bare.h"
struct owner {
  bare handle;
  ~owner() { handle.destroy(); }
  bool step() {
    if (handle.done())
      return false;
    handle.resume();
    return !handle.done();
  }
};
int main() {
  owner all{count(given(4))};
  int sum = 0;
  while (all.step())
    sum += all.handle.promise().value;
  say(sum);
}
