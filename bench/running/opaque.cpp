// Generators with a body or consumer that the compiler does not know: frames are on the heap, and each step is an indirect call.
#include "generator.h"
#include "running.h"

#include <string>

static generator<int> numbers(int count) {
  for (int i = 0; i < count; i++)
    co_yield i;
}
COROUTINES(opaque_generator) {
  unsigned sum = 0;
  for (int value : opaque(numbers)(count))
    mix(sum, value);
  return sum;
}
static int number(int i) { return i; }
BY_HAND(opaque_generator) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, opaque(number)(i));
  return sum;
}

static generator<int> fibonacci(int count) {
  unsigned a = 0, b = 1;
  for (int i = 0; i < count; i++) {
    co_yield int(a);
    unsigned next = a + b;
    a = b;
    b = next;
  }
}
COROUTINES(opaque_fibonacci) {
  unsigned sum = 0;
  for (int value : opaque(fibonacci)(count))
    mix(sum, value);
  return sum;
}
struct two_numbers {
  unsigned a, b;
};
static int next_fibonacci(two_numbers &state) {
  unsigned a = state.a;
  state = {state.b, a + state.b};
  return int(a);
}
BY_HAND(opaque_fibonacci) {
  unsigned sum = 0;
  two_numbers state = {0, 1};
  for (int i = 0; i < count; i++)
    mix(sum, opaque(next_fibonacci)(state));
  return sum;
}

// An opaque generator that drives another one.
static generator<int> filtered(generator<int> from) {
  for (int value : from)
    if (value % 3)
      co_yield value;
}
COROUTINES(opaque_filter) {
  unsigned sum = 0;
  for (int value : opaque(filtered)(opaque(numbers)(count)))
    mix(sum, value);
  return sum;
}
static bool is_accepted(int value) { return value % 3; }
BY_HAND(opaque_filter) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    if (opaque(is_accepted)(opaque(number)(i)))
      mix(sum, i);
  return sum;
}

static generator<std::string> words(int count) {
  std::string word = "word";
  for (int i = 0; i < count; i++) {
    word[3] = char('a' + i % 26);
    co_yield word;
  }
}
COROUTINES(opaque_strings) {
  unsigned sum = 0;
  auto all = opaque(words)(count);
  while (all.next())
    mix(sum, all.of.promise().value[3]);
  return sum;
}
static void next_word(std::string &word, int i) {
  word = "word";
  word[3] = char('a' + i % 26);
}
BY_HAND(opaque_strings) {
  unsigned sum = 0;
  std::string word;
  for (int i = 0; i < count; i++) {
    opaque(next_word)(word, i);
    mix(sum, word[3]);
  }
  return sum;
}

// A short generator for each unit of work: creation and destruction of a frame on the heap.
COROUTINES(create_destroy) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++) {
    auto made = opaque(numbers)(i);
    mix(sum, i + bool(made.of));
  }
  return sum;
}
BY_HAND(create_destroy) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++) {
    int *made = opaque(new int(i));
    mix(sum, i + bool(made));
    delete made;
  }
  return sum;
}
COROUTINES(create_run_destroy) {
  unsigned sum = 0;
  for (int i = 0; i < count; i += 3)
    for (int value : opaque(numbers)(3))
      mix(sum, value);
  return sum;
}
BY_HAND(create_run_destroy) {
  unsigned sum = 0;
  for (int i = 0; i < count; i += 3) {
    int *made = opaque(new int(3));
    for (int j = 0; j < *made; j++)
      mix(sum, opaque(number)(j));
    delete made;
  }
  return sum;
}
// The frame is destroyed at the first of several suspends, where variables with destructors are alive.
static generator<int> with_strings(std::string first, std::string second) {
  std::string sum = first + second;
  co_yield int(sum.size());
  co_yield int(first.size());
  co_yield int(second.size());
}
COROUTINES(create_destroy_strings) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++) {
    auto made = opaque(with_strings)("first", "second");
    made.next();
    mix(sum, made.value() + i);
  }
  return sum;
}
static int without_coroutine(std::string first, std::string second) {
  std::string sum = first + second;
  return int(sum.size());
}
BY_HAND(create_destroy_strings) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++)
    mix(sum, opaque(without_coroutine)("first", "second") + i);
  return sum;
}
