/* Hints that the workers of an instance want to send, in their logs, and what a beat may claim of
 * them (beats.h). Hints of a worker are lost only if its log is full: it notes that, and clears the
 * note once it has made up for them. */
#pragma once

#include "hint_share.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes of words that fit into the worker's log. */
size_t hint_writers_room(const struct hint_slot *own);
/* Adds a word. Returns false if it is lost. */
bool hint_writers_add(struct hint_slot *own, struct str word, uint64_t now_ms);
/* Notes that hints are lost. */
void hint_writers_lose(struct hint_slot *own, uint64_t now_ms);
/* Whether all words of the worker were sent. */
bool hint_writers_are_sent(const struct hint_slot *own);

/* The carrier's part: what it has taken from the logs, to send it. */
struct hint_gathering {
	struct region_map *shared;
	unsigned worker_slots;
	uint64_t *taken;     /* positions, by slot */
	unsigned first;	     /* slot whose turn it is */
	uint64_t begun_ms;   /* of the last payload, if it emptied the logs; else 0 */
	uint64_t drained_ms; /* all words of before were sent; 0: it is not known */
};

void hint_gathering_init(struct hint_gathering *gathering, struct region_map *shared,
			 unsigned worker_slots);
void hint_gathering_finish(struct hint_gathering *gathering);
/* Begins anew with what is not sent yet: the worker has become the carrier. */
void hint_gathering_begin(struct hint_gathering *gathering);
bool hint_gathering_has_words(const struct hint_gathering *gathering);
/* Writes words, each followed by a space, and returns their length. */
size_t hint_gathering_take(struct hint_gathering *gathering, char *payload, size_t size,
			   uint64_t now_ms);
/* The last payload was sent. */
void hint_gathering_note_sent(struct hint_gathering *gathering);
/* Returns the time, at most now_ms, before which all hints of all workers were sent; 0: it is not
 * known yet. */
uint64_t hint_gathering_through_ms(const struct hint_gathering *gathering, uint64_t now_ms);

/* Notes that the worker writes nothing more. Returns whether all others have left, too. */
bool hint_writers_leave(struct region_map *shared, unsigned worker_slots, struct hint_slot *own,
			uint64_t now_ms);
