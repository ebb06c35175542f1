#include "sequences.h"
#include <cstdlib>
#include <iostream>
#include <string>

std::string row(const std::string &title, const std::string &cells);

static std::string first(unsigned count, Generator<unsigned> numbers) {
  std::string cells;
  for (unsigned n : numbers) {
    if (!count--)
      break;
    cells += " " + std::to_string(n);
  }
  return cells;
}

int main(int count, char **arguments) {
  unsigned columns = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 10;
  std::cout << row("primes", first(columns, primes())) << "\n" << row("squares", first(columns, squares())) << "\n";
}
