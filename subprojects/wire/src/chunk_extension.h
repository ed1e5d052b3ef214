/* The extensions of a chunk line (RFC 9112 section 7.1.1). They are ignored, but must be well
 * formed: each end of a connection then sees the line end in the same place.
 *
 *   chunk-ext = *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )
 *
 * llhttp takes no white space there, so it gets the line without its extensions. */
#pragma once

#include <stdbool.h>

enum chunk_extension {
	CHUNK_EXTENSION_NONE, /* in the size */
	CHUNK_EXTENSION_BEFORE_SEMICOLON,
	CHUNK_EXTENSION_BEFORE_NAME,
	CHUNK_EXTENSION_NAME,
	CHUNK_EXTENSION_BEHIND_NAME,
	CHUNK_EXTENSION_BEFORE_VALUE,
	CHUNK_EXTENSION_TOKEN,
	CHUNK_EXTENSION_QUOTED,
	CHUNK_EXTENSION_ESCAPED,
	CHUNK_EXTENSION_BEHIND_QUOTED,
};

/* Whether this byte behind a size begins the extensions. */
bool chunk_extension_begins(char c);

/* Takes the next byte, which is neither CR nor LF. False: it may not stand there. */
bool chunk_extension_take(enum chunk_extension *state, char c);

/* Whether the line may end here. */
bool chunk_extension_may_end(enum chunk_extension state);
