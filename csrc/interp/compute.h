/* Handlers of the intrinsics that compute, for the table.
   Needs: code.h. Leaves: nothing. */
#ifndef CORO_INTERP_COMPUTE_H
#define CORO_INTERP_COMPUTE_H

#include "interp/code.h"

op_handler run_smax, run_smin, run_umax, run_umin, run_uadd_sat, run_usub_sat, run_sadd_sat, run_ssub_sat,
    run_absolute_value, run_ctpop, run_ctlz, run_cttz, run_bswap, run_bitreverse, run_fshl, run_fshr, run_sadd_overflow,
    run_uadd_overflow, run_ssub_overflow, run_usub_overflow, run_smul_overflow, run_umul_overflow, run_real_abs,
    run_real_sqrt, run_real_floor, run_real_ceil, run_real_trunc, run_real_round, run_real_rint, run_real_copysign,
    run_real_min, run_real_max, run_real_fma, run_real_muladd;

#endif
