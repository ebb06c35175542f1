/* Finds the program points where the frame exists. In the ramp that is after llvm.coro.begin, in all other clones
   everywhere. In the returned-continuation ABIs the frame exists until it is freed before an llvm.coro.end.
   Requires: a simulated clone. */
#pragma once

#include "check/check_data.h"

/* Whether the ramp has executed llvm.coro.begin on all paths to the place; on none of them. */
bool begin_is_executed_on_all_paths(const struct check *c, const struct check_clone *ramp, uint32_t block, uint32_t at);
bool begin_is_executed_on_no_path(const struct check *c, const struct check_clone *ramp, uint32_t block, uint32_t at);
/* Whether the ramp has executed llvm.coro.begin on some paths to the place only, for instance if an allocation fails on
   the others. */
bool begin_is_executed_on_some_paths_only(const struct check *c, const struct check_clone *ramp, uint32_t block,
                                          uint32_t at);
/* Whether the ramp may execute llvm.coro.begin after the place. */
bool begin_may_follow(const struct check *c, const struct check_clone *ramp, uint32_t block, uint32_t at);
/* Finds the blocks of a simulated ramp that llvm.coro.begin reaches, and those that reach it, for the queries above.
   False, with an answer: they are not supported, or there is no memory. */
bool begin_find_blocks_before_and_after(struct check *c, struct check_clone *ramp);
/* Whether the frame of a coroutine that never suspends is the memory that llvm.coro.begin is given. False
   with an llvm.coro.alloc: nothing has allocated it. */
bool begin_frame_is_given_memory_without_suspends(const struct check *c, const struct check_clone *k);
/* Whether the frame of a returned-continuation coroutine is in the caller's buffer. */
bool begin_frame_is_in_buffer(const struct check *c);
/* The bytes of the buffer that the caller of a returned-continuation coroutine passes. */
uint64_t begin_retcon_buffer_size_or_zero_if_unknown(const struct check *c);
/* Whether a clone at the position need not free such a frame at `end`, or has freed it for the end `freed`. */
bool begin_frame_is_freed_or_need_not_be(const struct check *c, const struct check_clone *k, uint32_t block,
                                         uint32_t position, uint32_t freed, uint32_t end);
