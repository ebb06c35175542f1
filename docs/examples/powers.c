#include <stdio.h>

struct generator; /* its frame, which only the compiled coroutine knows */
struct generator *squares_start(long limit);
int squares_next(struct generator *generator);
long squares_value(struct generator *generator);
void squares_destroy(struct generator *generator);

int main(void)
{
  struct generator *squares = squares_start(30);
  while (squares_next(squares))
    printf("%ld\n", squares_value(squares));
  squares_destroy(squares);
  return 0;
}
