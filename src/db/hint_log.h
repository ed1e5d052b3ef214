/* Words that one process writes and others read, in memory that they share. The writer never waits:
 * a reader that falls behind by more than the log holds has lost words, and is told so. A writer
 * that dies or hangs at any step leaves a log from which complete words can be read. */
#pragma once

#include "base/limits.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <text/str.h>

enum {
	HINT_LOG_BYTES = 256 * 1024,
	/* For a word that is read, whole steps. */
	HINT_LOG_ROOM = LIMIT_HINT_WORD_BYTES + sizeof(uint64_t),
	/* Bytes that a word takes in the log, with its length. */
	HINT_LOG_WORD_BYTES_MAX = HINT_LOG_ROOM + sizeof(uint64_t),
};

/* A zeroed log is valid and empty. */
struct hint_log {
	_Atomic uint64_t head;	   /* words before this position are complete */
	_Atomic uint64_t reserved; /* bytes up to here, less the log's size, may be overwritten */
	_Atomic uint64_t bytes[HINT_LOG_BYTES / sizeof(uint64_t)];
};

/* Only one process may add at a time. word: at most LIMIT_HINT_WORD_BYTES. */
void hint_log_add(struct hint_log *log, struct str word);
/* Position of the next word that will be added. */
uint64_t hint_log_head(const struct hint_log *log);

enum hint_log_read { HINT_LOG_END, HINT_LOG_WORD, HINT_LOG_LOST };

/* Reads the word at *position and moves it on. *ret_word lies in room. After HINT_LOG_LOST begin
 * again at hint_log_head(). */
enum hint_log_read hint_log_read(const struct hint_log *log, uint64_t *position,
				 char room[static HINT_LOG_ROOM], struct str *ret_word);
