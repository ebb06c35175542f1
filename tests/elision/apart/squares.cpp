// Generators that others know by their declarations.
#include "generator.h"
generator<int> squares(int limit) {
  for (int i = 1; i <= limit; i++)
    co_yield i * i;
}
