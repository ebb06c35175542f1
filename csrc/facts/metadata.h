/* The numbers of kinds of metadata that code asks for by number: their places in metadata.def.
   Needs: nothing. Leaves: numbers. */
#ifndef CORO_FACTS_METADATA_H
#define CORO_FACTS_METADATA_H

enum { METADATA_DBG = 0, METADATA_ALIAS_SCOPE = 7, METADATA_NOALIAS = 8, METADATA_LOOP = 18 };

#endif
