// An owner with a destructor contains more than the handle, and the promise defines operator new.
#include <cstddef>
#include <string>
#include "generator.h"
extern "C" void *new_frame(std::size_t);
extern "C" void free_frame(void *);
struct numbers {
  struct promise_type {
    int value;
    static void *operator new(std::size_t size) { return new_frame(size); }
    static void operator delete(void *memory) { free_frame(memory); }
    numbers get_return_object() { return numbers(this); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int given) noexcept {
      value = given;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  promise_type *promise;
  std::coroutine_handle<promise_type> of;
  int taken = 0;
  explicit numbers(promise_type *promise) : promise(promise), of(std::coroutine_handle<promise_type>::from_promise(*promise)) {}
  numbers(numbers &&other) noexcept : promise(other.promise), of(std::exchange(other.of, {})), taken(other.taken) {}
  ~numbers() {
    if (of)
      of.destroy();
  }
  bool next() {
    taken++;
    of.resume();
    return !of.done();
  }
};
static numbers sizes(int limit, std::string prefix, std::string suffix) {
  for (int i = 0; i < limit; i++)
    co_yield i ^ int(prefix.size() + suffix.size());
}
int main() {
  int sum = 0;
  numbers all = sizes(given(5), "prefix", "suffix of it");
  while (all.next())
    sum += all.promise->value * all.taken;
  say(sum);
}
