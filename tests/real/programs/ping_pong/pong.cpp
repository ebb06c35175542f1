#include "players.h"

task<unsigned> pong(unsigned n) {
  if (n == 0) {
    co_return 7;
  }
  unsigned below = co_await ping(n - 1);
  co_return below ^ (below >> 5);
}

task<unsigned long> rally(unsigned rounds, unsigned depth) {
  unsigned long sum = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    sum = sum * 3 + co_await ping(depth) + co_await pong(depth + i % 2);
  }
  co_return sum;
}
