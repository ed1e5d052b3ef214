/* Stamps of the rows that this instance's workers have changed, in memory that they share. A worker
 * that keeps an answer sees by the stamps, before a hint tells it, that a row of the answer was
 * changed.
 *
 *   commit -> read_stamps_note() -> answer ... read at another worker -> read_stamps_last() is
 * later
 *
 * Stamps are numbers of one clock, which every change advances: so one number says since when an
 * answer is known, however many rows it has, also where they were not known before. Several rows
 * may have one place. Then one of them is read once more than needed; no change is ever missed. */
#pragma once

#include "base/id.h"
#include "base/region.h"

struct read_stamps;

/* The common part of this region is the struct read_stamps. */
extern const struct region read_region;

/* Take it before sending the query that reads a row: all changes with a stamp up to this one were
 * committed by then. */
uint64_t read_stamps_now(const struct read_stamps *stamps);
/* A change of the row was committed and is about to be answered. */
void read_stamps_note(struct read_stamps *stamps, struct id id);
/* Changes of any row may have been committed and not noted. */
void read_stamps_note_all(struct read_stamps *stamps);

/* Place of the stamp of a row; stays the same as long as the region. */
uint32_t read_stamps_place(const struct read_stamps *stamps, struct id id);
/* The stamp of the last change that was noted of the row, or of all. */
uint64_t read_stamps_last(const struct read_stamps *stamps, uint32_t place);
