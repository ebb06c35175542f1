// Counts the allocations of the cases: every operator new is a coroutine's frame. Prints the count to standard error at the end.
#include "outside.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>

static int frames, freed;

void *operator new(std::size_t size) {
  frames++;
  return std::malloc(size);
}
void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
  frames++;
  return std::malloc(size);
}
void *operator new(std::size_t size, std::align_val_t align) {
  frames++;
  return std::aligned_alloc(std::size_t(align), (size + std::size_t(align) - 1) & -std::size_t(align));
}
static void *(*volatile fill)(void *, int, std::size_t) = std::memset; // a store before free would be dropped
static void give_back(void *memory) { // later reads see the pattern
  freed += memory != nullptr;
  if (memory)
    fill(memory, 0x7f, malloc_usable_size(memory));
  std::free(memory);
}
void operator delete(void *memory) noexcept { give_back(memory); }
void operator delete(void *memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { give_back(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }

extern "C" {
void say(int value) noexcept { std::printf("%d\n", value); }
int given(int value) noexcept { return value; }
void outside() {}
void watched(void *) noexcept {}
void *new_frame(std::size_t size) { return operator new(size); }
void free_frame(void *memory) { operator delete(memory); }
}

__attribute__((destructor)) static void tell() { std::fprintf(stderr, "frames %d freed %d\n", frames, freed); }
