/* Memory that is freed all at once: one arena a request.
 *
 *   arena -> block -> block -> block      objects are cut off the front block, never given back
 *
 * Blocks of the usual size are kept for the next arena (per thread, bounded). ASan builds recycle
 * nothing and leave a poisoned gap between objects, so that ASan sees overruns and late uses. */
#pragma once

#include <text/str.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;

/* A zeroed arena is valid and empty. */
struct arena {
	struct arena_block *blocks; /* newest first; NULL until the first object */
	size_t used_bytes;	    /* all bytes that were handed out */
};

/* Frees everything in it. The arena is empty and usable again. */
void arena_finish(struct arena *arena);

/* Maximum overhead of an object, in bytes. */
enum { ARENA_OBJECT_BYTES_MAX = 48 };

/* Sizes the first block of an empty arena for size bytes instead of the usual 4 KB. Use it if the
 * arena holds little for long. Count ARENA_OBJECT_BYTES_MAX for each object. */
void arena_reserve(struct arena *arena, size_t size);

/* Returns memory aligned for any type, valid until arena_finish(). Never NULL. */
__attribute__((malloc, warn_unused_result)) void *arena_alloc(struct arena *arena, size_t size);
/* All bytes zero. */
__attribute__((malloc, warn_unused_result)) void *arena_zalloc(struct arena *arena, size_t size);

/* A copy, followed by a NUL that is not counted. */
struct str arena_copy(struct arena *arena, struct str s);

/* Returns the texts joined, followed by a NUL that is not counted. */
struct str arena_join(struct arena *arena, const struct str *texts, size_t count);
/* arena_join() for the listed texts. */
#define ARENA_JOIN(arena, ...)                                                                     \
	arena_join(arena, (const struct str[]){__VA_ARGS__},                                       \
		   sizeof((const struct str[]){__VA_ARGS__}) / sizeof(struct str))
/* A whole number in decimal. */
struct str arena_decimal(struct arena *arena, int64_t number);

/* printf into the arena; the text is followed by a NUL that is not counted. */
__attribute__((format(printf, 2, 3))) struct str arena_printf(struct arena *arena,
							      const char *format, ...);
__attribute__((format(printf, 2, 0))) struct str arena_vprintf(struct arena *arena,
							       const char *format, va_list args);

/* Moves all objects of from into to, where they live as long as those of to. Leaves from empty. */
void arena_adopt(struct arena *to, struct arena *from);

/* Frees the blocks kept for reuse in this thread. */
void arena_drop_cache(void);
