// Allocations of containers, which are not counted as frames.
#pragma once
#include <cstddef>
#include <cstdlib>

template <typename T> struct quiet {
  using value_type = T;
  quiet() = default;
  template <typename U> quiet(const quiet<U> &) {}
  T *allocate(std::size_t count) { return static_cast<T *>(std::malloc(count * sizeof(T))); }
  void deallocate(T *memory, std::size_t) { std::free(memory); }
  bool operator==(const quiet &) const { return true; }
};
