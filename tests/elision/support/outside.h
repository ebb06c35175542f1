// What a case sees of the world outside: compiled apart by clang, so that no optimiser looks into it.
#pragma once
extern "C" {
void say(int value) noexcept;  // prints it on a line of its own
int given(int value) noexcept; // its argument, which the compiler does not know
void outside();                // does nothing, but may throw for all that the compiler knows
void watched(void *) noexcept; // looks at an address, and keeps none
}
