/* Numbers of the metadata kinds that code refers to: their positions in metadata.def.
   Requires: nothing. Guarantees: constants only. */
#pragma once

enum {
  METADATA_DBG = 0,
  METADATA_PROF = 2,
  METADATA_ALIAS_SCOPE = 7,
  METADATA_NOALIAS = 8,
  METADATA_UNPREDICTABLE = 15,
  METADATA_LOOP = 18
};
