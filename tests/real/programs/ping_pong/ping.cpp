// Two translation units that await each other's tasks by symmetric transfer, 1,000 deep and 20,000 times over: tail
// calls between functions that different hands lowered.
#include <cstdio>

#include "players.h"

task<unsigned> ping(unsigned n) { co_return n == 0 ? 1u : co_await pong(n - 1) * 2654435761u + n; }

int main() {
  task<unsigned> deep = ping(1000);
  deep.h.resume();
  std::printf("%u\n", deep.h.promise().value);
  task<unsigned long> wide = rally(20000, 3);
  wide.h.resume();
  std::printf("%lu\n", wide.h.promise().value);
}
