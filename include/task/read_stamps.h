/* Stamps of the rows that this instance's workers have changed, in memory that they share. A worker
 * that caches an answer sees by the stamps, before any hint arrives, that a row of the answer was
 * changed.
 *
 *   commit -> read_stamps_note() -> answer
 *   read at another worker -> read_stamps_last() is later -> query
 *
 * Stamps are values of one counter, which every change advances. So one number tells since when an
 * answer is known, however many rows it has, even if they were not known before. Several rows may
 * share a slot. Then one of them is read once more than needed; no change is ever missed. */
#pragma once

#include "base/id.h"
#include "base/region.h"

struct read_stamps;

/* The common part of this region is the struct read_stamps. */
extern const struct region read_region;

/* Call it before the query that reads a row: all changes with a stamp up to this one were committed
 * by then. */
uint64_t read_stamps_now(const struct read_stamps *stamps);
/* Notes a change of the row that was committed and is about to be answered. */
void read_stamps_note(struct read_stamps *stamps, struct id id);
/* Notes that changes of any row may have been committed without being noted. */
void read_stamps_note_all(struct read_stamps *stamps);

/* Begins or ends a time in which the row may change without a note: meanwhile its stamp is later
 * than any other. Several may overlap. */
void read_stamps_doubt(struct read_stamps *stamps, struct id id, bool is_in_doubt);

/* Returns the slot of a row's stamp, which stays the same as long as the region. */
uint32_t read_stamps_slot(const struct read_stamps *stamps, struct id id);
/* Returns the stamp of the last noted change of the row, or of all rows. */
uint64_t read_stamps_last(const struct read_stamps *stamps, uint32_t slot);
