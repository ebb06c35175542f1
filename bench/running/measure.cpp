// Loads the libraries of several compilers, calls the functions of each name alternately, and prints for each name and library the
// nanoseconds and the allocations per unit of work. Times are processor time, medians of alternating rounds. The functions
// without coroutines are those of the first library.
// `measure ROUNDS MICROSECONDS LIBRARIES`: ROUNDS calls of each function, of MICROSECONDS each. A library is NAME=PATH.
// `measure CASE:NAME COUNT LIBRARIES` calls one function once, for a tool that counts instructions.
#include "running.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <map>
#include <new>
#include <string>
#include <vector>

static unsigned long allocations;
void *operator new(std::size_t size) {
  allocations++;
  return std::malloc(size);
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

struct timed {
  std::string by;
  unsigned (*function)(int);
  std::vector<double> times = {};
  double allocations = 0;
};

static std::map<std::string, std::vector<timed>> load(int argc, char **argv) {
  std::map<std::string, std::vector<timed>> cases;
  for (int i = 3; i < argc; i++) {
    char *path = std::strchr(argv[i], '=');
    *path++ = 0;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::exit(1);
    }
    for (measured *one = *static_cast<measured **>(dlsym(library, "measured_functions")); one; one = one->next)
      if (!one->by_hand || i == 3)
        cases[one->name].push_back({one->by_hand ? "hand" : argv[i], one->function});
  }
  return cases;
}

static double now() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e9 + double(time.tv_nsec);
}

// Returns the number of units for which a call takes about the given time.
static int calibrated(unsigned (*function)(int), double nanoseconds) {
  for (int count = 1000;; count *= 4) {
    double begin = now();
    function(count);
    double taken = now() - begin;
    if (taken > nanoseconds / 4 || count > 100000000)
      return std::max(1000, int(count * std::min(nanoseconds / taken, 1e9 / count)));
  }
}

int main(int argc, char **argv) {
  auto cases = load(argc, argv);
  if (char *by = std::strchr(argv[1], ':')) {
    for (timed &one : cases[std::string(argv[1], by)])
      if (one.by == by + 1)
        one.function(std::atoi(argv[2]));
    return 0;
  }
  for (auto &[name, functions] : cases) {
    int count = calibrated(functions.front().function, std::atof(argv[2]) * 1e3);
    unsigned expected = functions.front().function(count);
    for (int round = std::atoi(argv[1]); round > 0; round--)
      for (timed &one : functions) {
        unsigned long allocated = allocations;
        double begin = now();
        unsigned sum = one.function(count);
        one.times.push_back((now() - begin) / count);
        one.allocations = double(allocations - allocated) / count;
        if (sum != expected) {
          std::fprintf(stderr, "%s: %u by %s, %u by %s\n", name.c_str(), expected, functions.front().by.c_str(), sum, one.by.c_str());
          return 1;
        }
      }
    for (timed &one : functions) {
      std::sort(one.times.begin(), one.times.end());
      std::printf("%s %s %.4f %.4f\n", name.c_str(), one.by.c_str(), one.times[one.times.size() / 2], one.allocations);
    }
  }
}
