/* Carrier: the worker of an instance that sends and receives hints for all.
 *
 *   FREE --a worker whose connection is up takes it--> LISTEN is sent --answer--> READY
 *    ^                                                      |                       |
 *    +---its connection is lost, it leaves, or dies---------+-----------------------+
 *
 * The supervisor clears the place of a carrier that has ended. One whose loop has not run for more
 * than half a second has lost its place to the next who looks, and sees that by the epoch. While
 * nobody is ready, and whenever words may have been lost, hints count as down in all workers: they
 * make up for them. Words to send stay in the logs until they are sent, by whomever.
 *
 * The carrier alone beats for the instance, and looks at the beats of others; what it has heard
 * counts for all, once they have read its log so far.
 *
 * Functions but the first four need hint_carrying_is_shared(). */
#pragma once

#include "hint_state.h"
#include "hint_statements.h"

static inline bool hint_carrying_is_shared(const struct hints *hints)
{
	return hints->shared;
}
bool hint_carrying_is_carrier(const struct hints *hints);
/* When the youngest of the other instances was first seen that are known to this worker or to the
 * carrier; 0: none is. */
uint64_t hint_carrying_others_since_ms(const struct hints *hints);
/* Whether what its own looks at beats find counts: it listens itself. */
bool hint_carrying_hears(const struct hints *hints);
/* Whether another worker looks at beats for this one. */
bool hint_carrying_follows(const struct hints *hints);

void hint_carrying_start(struct hints *hints);
/* This worker becomes the carrier no more; if it is, another one takes over. */
void hint_carrying_retire(struct hints *hints);
/* The same, and it writes nothing more. Returns whether all other workers have left, too. */
bool hint_carrying_leave(struct hints *hints);
void hint_carrying_close(struct hints *hints);

void hint_carrying_on_up(struct hints *hints);
void hint_carrying_on_down(struct hints *hints);
/* A statement was answered; of a look, heard_ms is up to date. */
void hint_carrying_on_answer(struct hints *hints, bool is_ok);
/* Takes a notification of this worker's connection. */
void hint_carrying_take(struct hints *hints, struct str payload);
/* Call it several times a second. */
void hint_carrying_tick(struct hints *hints);
/* Returns whether a statement is to be sent, and which; without parameters. */
bool hint_carrying_next(struct hints *hints, enum hint_statement *ret_statement);

/* Leaves a word to the carrier. Returns false if it is lost. */
bool hint_carrying_add(struct hints *hints, struct str word);
/* Bytes of words that could be added. */
size_t hint_carrying_room(const struct hints *hints);
/* Wakes the carrier if words were added since. */
void hint_carrying_ask(struct hints *hints);
/* Whether all words of this worker were sent. */
bool hint_carrying_is_sent(const struct hints *hints);
/* Whether this worker is the carrier, and there are words to send. */
bool hint_carrying_has_words(struct hints *hints);
/* Takes words of all workers to send them, each followed by a space. Returns their length. */
size_t hint_carrying_gather(struct hints *hints, char *payload, size_t size);
/* Returns the time before which all hints of the instance were sent; 0: it is not known yet. */
uint64_t hint_carrying_through_ms(const struct hints *hints);
/* When the last renewal of the instance's row was sent; 0: never. */
uint64_t hint_carrying_seen_ms(const struct hints *hints);
void hint_carrying_note_seen(struct hints *hints, uint64_t ms);

/* See db_hint_look(). */
void hint_carrying_look(struct hints *hints);
/* Frees what the last release needs, after hint_carrying_close(). */
void hint_carrying_finish(struct hints *hints);
