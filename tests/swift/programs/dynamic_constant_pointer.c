/* The caller of dynamic_constant_pointer.ll in C: it allocates as many bytes as the coroutine function pointer reserves. */
#include <stdint.h>

struct pointer {
  int32_t offset, size;
} __attribute__((packed));
struct yielded {
  void (*resume)(void *frame, void *allocator);
  int32_t value;
};
extern const struct pointer accessor_pointer;
extern struct yielded accessor(void *frame, void *allocator, int32_t *values);
void *task_alloc(uint64_t size);
void task_dealloc(void *memory);
void show(int64_t value);

void drive(void)
{
  int32_t value = 42;
  int64_t allocator = 0;
  void *frame = task_alloc((uint64_t)accessor_pointer.size);
  struct yielded given = accessor(frame, &allocator, &value);
  show(given.value);
  show(value);
  given.resume(frame, &allocator);
  show(value);
  task_dealloc(frame);
}
