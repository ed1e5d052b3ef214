/* Parses an answer of a renderer. All of it is untrusted: numbers are clamped, texts are cut, and
 * no text has a NUL. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "render/engine.h"

#include <panelimage/panelimage.h>
#include <yyjson.h>

/* Memory of an answer's texts: its member "memory". */
struct answer_memory {
	struct arena arena;
	struct panelimage_result picture;
	struct buffer compiled;
};

/* Gives the answer its memory. */
struct answer_memory *answer_begin(struct engine_answer *answer);
/* Frees the memory, if there is any. */
void answer_finish(struct engine_answer *answer);

/* Takes the contents of a head: the problem, the log, numbers, schema, result. A second head adds
 * its time and memory to those of the first, and replaces its other members. */
void answer_read_head(struct engine_answer *answer, yyjson_val *head);

/* Takes a schema or a result that is too long for the head and is the blob, as the head says.
 */
void answer_read_blob(struct engine_answer *answer, yyjson_val *head, struct str blob);

/* Sets the problem; the message is copied. */
__attribute__((format(printf, 3, 4))) void
answer_fail(struct engine_answer *answer, enum engine_problem_kind kind, const char *format, ...);
