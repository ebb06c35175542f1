#pragma once
#include "generator.h"

Generator<unsigned> primes();
Generator<unsigned> squares();
