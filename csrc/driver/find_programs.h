/* Finds the files that pycoro-c++ uses: clang, pycoro's plugin, the driver in Python.
   Requires: /proc. Guarantees: texts are not freed. */
#pragma once

/* The path of clang or clang++: of the environment variable if it is set, or of LLVM's version, or else of another
   version; NULL if there is none. */
const char *find_clang(const char *program, const char *variable);

/* The path of pycoro's plugin in the Python installation of this program; NULL if there is none, or if the installation
   has several Pythons with a plugin. */
const char *find_plugin(void);

/* The path of a program in the directory of this one; NULL if memory is out. */
const char *find_sibling(const char *name);
