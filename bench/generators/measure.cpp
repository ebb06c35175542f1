// Calls the functions of both compilers alternately, and prints nanoseconds per element for each name: the medians of many
// rounds. `measure WHICH COUNT` calls one function once, for a tool that counts instructions.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#define NAMES(X) X(one_yield) X(two_yields) X(filter) X(map_and_take) X(tree_walk) X(strings) X(owner) X(own_new)
#define DECLARE(name)                                                                                                     \
  extern "C" unsigned name##_pycoro(int), name##_clang(int), name##_by_hand_pycoro(int), name##_by_hand_clang(int);
NAMES(DECLARE)

struct measured {
  const char *name, *who;
  unsigned (*function)(int);
  std::vector<double> times;
};
#define ROWS(name) {#name, "hand", name##_by_hand_clang, {}}, {#name, "pycoro", name##_pycoro, {}}, {#name, "clang", name##_clang, {}},

static double now() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e9 + double(time.tv_nsec);
}

int main(int argc, char **argv) {
  std::vector<measured> rows = {NAMES(ROWS)};
  if (argc > 2) {
    measured &row = rows[std::size_t(std::atoi(argv[1])) % rows.size()];
    return row.function(std::atoi(argv[2])) == 1;
  }
  const int count = 300000, rounds = 41;
  for (int round = 0; round < rounds; round++)
    for (std::size_t i = 0; i < rows.size(); i += 3) {
      unsigned sums[3];
      for (std::size_t j = 0; j < 3; j++) {
        double begin = now();
        sums[j] = rows[i + j].function(count);
        rows[i + j].times.push_back((now() - begin) / count);
      }
      if (sums[0] != sums[1] || sums[0] != sums[2]) {
        std::fprintf(stderr, "%s: %u by hand, %u by pycoro, %u by clang\n", rows[i].name, sums[0], sums[1], sums[2]);
        return 1;
      }
    }
  for (measured &row : rows) {
    std::sort(row.times.begin(), row.times.end());
    std::printf("%s %s %.4f\n", row.name, row.who, row.times[row.times.size() / 2]);
  }
}
