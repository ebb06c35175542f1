/* Computes whether the functions of a wave use internal global variables. If not, the pipeline of the wave can omit
   globals-aa, which scans the whole module (csrc/pipeline/llvm_step.c), and a small wave can be moved (wave_module.c).
   Requires: cgscc_waves.
   Guarantees: the module is unchanged. */
#pragma once

#include "cgscc/cgscc_waves.h"

/* Whether a function of the wave, or one that it refers to, uses an internal variable. Otherwise globals-aa has no
   effect, because it treats masked functions as unknown. */
bool waves_use_internal_variables(const struct cgscc_waves *waves);
