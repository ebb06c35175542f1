/* Runtime of the programs: allocators that check the bytes after each block, and functions that print. main() calls drive()
   of the program, and reports blocks that were not freed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE = 64, AFTER = 64, FILL = 0x5c };
static long live;

static void *allocate(uint64_t size)
{
  uint64_t whole = (BEFORE + size + AFTER + 63) / 64 * 64;
  char *block = aligned_alloc(64, whole);
  memcpy(block, &size, sizeof size);
  memset(block + BEFORE, 0xa5, size);
  memset(block + BEFORE + size, FILL, whole - BEFORE - size);
  live++;
  return block + BEFORE;
}

static void release(void *memory)
{
  char *block = (char *)memory - BEFORE;
  uint64_t size;
  memcpy(&size, block, sizeof size);
  for (int i = 0; i < AFTER; i++)
    if (block[BEFORE + size + i] != FILL) {
      printf("written behind %d bytes\n", (int)size);
      break;
    }
  memset(block + BEFORE, 0xdd, size);
  free(block);
  live--;
}

void *my_alloc(uint64_t size) { return allocate(size); }
void my_free(void *memory) { release(memory); }
void *task_alloc(uint64_t size) { return allocate(size); }
void task_dealloc(void *memory) { release(memory); }
void *swift_coroFrameAlloc(uint64_t size, uint64_t type) { printf("type %d\n", (int)type); return allocate(size); }

/* The allocator of the dynamic ABI counts what it gives; blocks know their frame. */
struct allocator {
  long given;
};
void *dynamic_alloc(void *frame, struct allocator *allocator, uint64_t size)
{
  void **block = allocate(size + 16);
  allocator->given++;
  block[0] = frame;
  return block + 2;
}
void dynamic_free(void *frame, struct allocator *allocator, void *memory)
{
  void **block = (void **)memory - 2;
  allocator->given--;
  if (block[0] != frame)
    puts("freed for another frame");
  release(block);
}

void show(int64_t value) { printf("%ld\n", (long)value); }
void show_all(int64_t *values, int64_t count)
{
  for (int64_t i = 0; i < count; i++)
    printf("%ld%c", (long)values[i], i + 1 < count ? ' ' : '\n');
}
uint64_t opaque(uint64_t value) { return value; }

void drive(void);
int main(void)
{
  drive();
  printf("live %ld\n", live);
  return 0;
}
