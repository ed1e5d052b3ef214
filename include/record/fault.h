/* Faults of a body, all in one answer: the member "errors" of a problem (RFC 9457). */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"

struct fault {
	struct str name;    /* name of the member; data is NULL for the whole body */
	struct str pointer; /* JSON pointer (RFC 6901), "" for the whole body */
	struct str detail;  /* "must be an integer from 0 to 100" */
};

struct faults {
	struct arena *arena;
	struct fault *list;
	unsigned count;
	unsigned most;	  /* LIMIT_FAULTS, unless faults_init_to() has set it */
	unsigned dropped; /* faults beyond these */
	unsigned room;	  /* length of list */
};

void faults_init(struct faults *faults, struct arena *arena);
void faults_init_to(struct faults *faults, struct arena *arena, unsigned most);

/* Adds a fault. name: a member of the body, unescaped; its data is NULL for the body itself. */
__attribute__((format(printf, 3, 4))) void faults_add(struct faults *faults, struct str name,
						      const char *format, ...);

/* Whether a member itself has a fault; faults of its own members do not count. */
bool faults_has(const struct faults *faults, struct str name);

/* Adds a fault of a member of the body's member "in", which is an object. */
__attribute__((format(printf, 4, 5))) void faults_add_in(struct faults *faults, struct str in,
							 struct str name, const char *format, ...);

/* Adds a fault of the value at a JSON pointer (RFC 6901). */
void faults_add_at(struct faults *faults, struct str pointer, struct str detail);
/* Returns "/" and the name, with "~" and "/" escaped. */
struct str faults_pointer(struct arena *arena, struct str name);

/* Returns a sentence for all faults: the fault, or how many there are. In the arena. */
struct str faults_sentence(const struct faults *faults);

/* Appends "errors":[...]. */
void faults_write_json(const struct faults *faults, struct buffer *buffer);
