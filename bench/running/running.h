// The interface between the measured functions and measure.cpp. Each compiler builds all measured functions into one library,
// and measure.cpp loads the libraries into one process.
//
// COROUTINES(name) and BY_HAND(name) define the same function with coroutines and without. It does `count` units of work and
// returns a checksum, which must be equal for all compilers.
#pragma once

struct measured {
  const char *name;
  bool by_hand;
  unsigned (*function)(int count);
  measured *next;
};
extern "C" measured *measured_functions; // all functions of a library

struct registration : measured {
  registration(const char *name, bool by_hand, unsigned (*function)(int)) : measured{name, by_hand, function, measured_functions} {
    measured_functions = this;
  }
};

#define MEASURED(name, symbol, by_hand)                                                                                    \
  extern "C" [[gnu::noinline]] unsigned symbol(int count);                                                                \
  static registration register_##symbol(#name, by_hand, symbol);                                                          \
  unsigned symbol(int count)
#define COROUTINES(name) MEASURED(name, name##_by_coroutines, false)
#define BY_HAND(name) MEASURED(name, name##_by_hand, true)

static inline void mix(unsigned &sum, int value) { sum = (sum << 1 | sum >> 31) + unsigned(value); }

// A copy of a function pointer. No compiler knows its target.
template <typename F> static F *opaque(F *function) {
  asm volatile("" : "+r"(function));
  return function;
}
