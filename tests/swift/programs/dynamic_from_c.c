/* The caller of dynamic_from_c.ll in C: it reads the size of the frame from the coroutine function pointer. */
#include <stdint.h>
#include <stdlib.h>

struct pointer {
  int32_t offset, size;
} __attribute__((packed));
struct yielded {
  void (*resume)(void *frame, void *allocator) __attribute__((swiftcall));
  int64_t *value;
};
extern struct pointer accessor_pointer;
extern __attribute__((swiftcall)) struct yielded accessor(void *frame, void *allocator, int64_t *values, int64_t count);
void *task_alloc(uint64_t size);
void task_dealloc(void *memory);
void show(int64_t value);
void show_all(int64_t *values, int64_t count);

void drive(void)
{
  int64_t values[] = {1, 2, 3}, allocator = 0;
  for (int round = 0; round < 2; round++) {
    void *frame = task_alloc(accessor_pointer.size);
    struct yielded given = accessor(frame, &allocator, values, 3);
    given.value[round] = 10 + round;
    given.resume(frame, &allocator);
    task_dealloc(frame);
    show_all(values, 3);
  }
  show(allocator);
}
