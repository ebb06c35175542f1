// External functions of the cases: clang compiles them separately, so that no optimizer analyzes them.
#pragma once
extern "C" {
void say(int value) noexcept;  // prints the value on a separate line
int given(int value) noexcept; // returns its argument, opaque to the compiler
void outside();                // does nothing, but the compiler must assume that it throws
void watched(void *) noexcept; // inspects an address without capturing it
}
