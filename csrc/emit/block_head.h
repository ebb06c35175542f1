/* Positions a builder at the head of a node's block, for reloads and rematerialized values. Field addresses in the
   entry block have a position of their own, e->field_address_position.
   Requires: emission in progress.
   Guarantees: every requested position stays valid until the blocks are filled. */
#pragma once

#include "emit/emit.h"

/* the node's first presplit instruction after phis, or IR_NONE */
uint32_t head_first_inst_after_phis_or_none(const struct emit *e, uint32_t node);
/* Whether it is a pad that must be the first instruction after the phis. */
bool head_is_pad_opcode_not_catchswitch(LLVMOpcode opcode);
/* Moves e->aside_builder after earlier reloads at the head of the node's block, before the node's own instructions. */
void head_position_aside_builder(struct emit *e, uint32_t node);
void head_position_aside_builder_at_phis(struct emit *e,
                                         uint32_t node); /* moves e->aside_builder to the block's start, for a
                                                                      phi */
/* Determines the head's position now, after phis and pad. Whatever e->builder appends to the block later, debug records
   included, follows the reloads that are inserted there. */
void head_fix_first_load_position(struct emit *e, uint32_t node);
void head_erase_placeholders(struct emit *e); /* erases the temporary instructions of empty blocks */
