// It is created and destroyed under the same condition.
#include "bare.h"
int main() {
  bool wanted = given(1);
  bare handle{};
  if (wanted)
    handle = count(given(3));
  int sum = 0;
  if (wanted)
    for (handle.resume(); !handle.done(); handle.resume())
      sum += handle.promise().value;
  if (wanted)
    handle.destroy();
  say(sum);
}
