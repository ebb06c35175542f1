// Linked into every program under test: a heap that notices what a wrong coroutine frame does. Each block lies between
// two guard words, is filled at its allocation and at its deallocation, and is counted. Writing outside a
// block, freeing what is not live, or ending with blocks still live ends the program with status 99 and a word why.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

struct Header {
  std::size_t size;
  std::uint64_t guard;
};
constexpr std::uint64_t alive = 0xC0DEC0DEC0DEC0DEull, freed = 0xDEADDEADDEADDEADull;
static_assert(sizeof(Header) == 16, "blocks keep malloc's alignment");
long live = 0;

[[noreturn]] void fail(const char *what) {
  std::fflush(stdout);
  std::fprintf(stderr, "heap guard: %s\n", what);
  std::_Exit(99);
}

void *take(std::size_t size) {
  auto *header = static_cast<Header *>(std::malloc(sizeof(Header) + size + sizeof alive));
  if (!header) {
    fail("out of memory");
  }
  *header = {size, alive};
  auto *block = reinterpret_cast<unsigned char *>(header + 1);
  std::memset(block, 0xA5, size);
  std::memcpy(block + size, &alive, sizeof alive);
  ++live;
  return block;
}

void give(void *block) {
  if (!block) {
    return;
  }
  auto *header = static_cast<Header *>(block) - 1;
  if (header->guard != alive) {
    fail(header->guard == freed ? "freed twice" : "freed what is no block, or wrote before one");
  }
  if (std::memcmp(static_cast<unsigned char *>(block) + header->size, &alive, sizeof alive) != 0) {
    fail("wrote past the end of a block");
  }
  std::memset(block, 0x5A, header->size);
  header->guard = freed; // kept, never handed out again, so that a second free is seen
  --live;
}

struct AtExit {
  ~AtExit() {
    if (live != 0) {
      fail("blocks leaked");
    }
  }
} at_exit;

} // namespace

void *operator new(std::size_t size) { return take(size); }
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return take(size); }
void operator delete(void *block) noexcept { give(block); }
void operator delete(void *block, std::size_t size) noexcept {
  if (block && (static_cast<Header *>(block) - 1)->size != size) {
    fail("freed with another size than it was taken with");
  }
  give(block);
}
