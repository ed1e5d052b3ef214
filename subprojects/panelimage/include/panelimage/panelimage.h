/* panelimage - converts an image that was sent to the server into a WebP for a small LED panel.
 *
 *   bytes -> detect -> decode (PNG | GIF | WebP) -> frames over black -> lossless WebP
 *                         |                                                ^
 *                         `- a WebP that is fit as it is: the same bytes --'
 *
 * Glossary:
 *   canvas   the picture as a whole, as large as the panel
 *   frame    what the canvas shows for a while; a still image has one
 *   panel    shows the red, green and blue of each canvas and ignores its alpha
 *   over black  composed onto opaque black: a sample becomes (c * a + 127) / 255
 *
 * All functions are pure: no globals, no log, no I/O, callable from any thread. The input may be
 * hostile: for any bytes and a panel of 64x32, a call takes less than three seconds (for a normal
 * file less than one) and less than 32 MiB; both grow with the pixels of the panel. No clock is
 * read: the same bytes give the same result on every machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	PANELIMAGE_SIDE_MAX = 256, /* pixels, largest width and largest height of a panel */
	PANELIMAGE_INPUT_MAX_BYTES = 196608,
	PANELIMAGE_MAGNIFIED_MAX_BYTES = 1048576, /* of an image that may be magnified */
	PANELIMAGE_OUTPUT_MAX_BYTES = 460000,	  /* bytes, the largest file that panels accept */
	PANELIMAGE_FRAMES_MAX = 2048,
	PANELIMAGE_MAGNIFICATION_MAX = 20,
};

/* Size of the panel, in pixels, 1 to PANELIMAGE_SIDE_MAX each. Images of other sizes are
 * rejected. */
struct panelimage_size {
	uint32_t width, height;
};

enum panelimage_format {
	PANELIMAGE_FORMAT_UNKNOWN,
	PANELIMAGE_FORMAT_PNG,
	PANELIMAGE_FORMAT_GIF,
	PANELIMAGE_FORMAT_WEBP,
};

struct panelimage_info {
	enum panelimage_format format; /* format of the input */
	uint32_t frame_count;	       /* 1 for a still */
	bool animated;		       /* has more than one frame */
	uint32_t duration_ms;	       /* of one loop, 0 for a still; UINT32_MAX if it is longer */
	uint32_t loop_count;	       /* how often it is played; 0: without end, or a still */
};

struct panelimage_result {
	uint8_t *data; /* a WebP file, malloc()ed; panelimage_result_finish() frees it */
	size_t size;   /* bytes, at most PANELIMAGE_OUTPUT_MAX_BYTES */
	struct panelimage_info info; /* of the result; its format is that of the source */
};

struct panelimage_error {
	char text[128];	    /* one sentence without its period, for the sender of the image */
	bool out_of_memory; /* the image is not to blame */
	bool is_too_large;  /* the result would exceed PANELIMAGE_OUTPUT_MAX_BYTES */
};

/* Detects the format by the first bytes (PNG 5.2, GIF89a 17, RFC 9649 2.4). */
enum panelimage_format panelimage_detect(const uint8_t *data, size_t size);

/* Whether the bytes look like an animation, to choose a lane for the work: takes a few
 * microseconds, since it reads the container only. For a damaged file the answer may be wrong,
 * nothing worse. An APNG is not an animation here: only its still image is used. */
bool panelimage_is_animation(const uint8_t *data, size_t size);

/* Decodes the image completely, checks it and makes a WebP whose every frame looks on a panel
 * exactly as the image does over black.
 *
 * PNG and GIF become lossless WebP, identical neighbouring frames merged. A WebP is copied as it
 * came if it needs no change (what follows its RIFF chunk is cut off); otherwise it is flattened
 * onto black and encoded losslessly. An animation that never changes becomes a still.
 *
 * A frame of 10 ms or less counts as one of 100 ms, as browsers have it, in GIF and WebP.
 *
 * GIF: the canvas starts out, and is cleared to, transparent; NETSCAPE2.0 with n > 0 plays n + 1
 * times, without it once, as browsers have it.
 *
 * Returns 0, or -1 with *reterr set and *ret untouched. The caller owns *ret. */
int panelimage_convert(const uint8_t *data, size_t size, struct panelimage_size panel,
		       struct panelimage_result *ret, struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* Bytes that a conversion to 64x32 holds at most between two steps, and the result's at most. */
enum { PANELIMAGE_HELD_MAX_BYTES = 1024 * 1024 };

/* The same in steps, so that a server can do other work between them: each step decodes and encodes
 * one frame at most, on any thread, but never two at a time. Between two steps only memory is held,
 * of which a step may need far more. A step takes 0.1 to 0.5 ms for a frame of 64x32 of an honest
 * file, and up to 0.2 s for a hostile one. */
struct panelimage_conversion;

enum panelimage_progress { PANELIMAGE_MORE, PANELIMAGE_DONE, PANELIMAGE_FAILED };

/* Begins a conversion. data must stay valid until the conversion is freed. Returns NULL with
 * *reterr set if the image cannot be converted, as far as its header tells, or if there is no
 * memory. */
struct panelimage_conversion *panelimage_conversion_new(const uint8_t *data, size_t size,
							struct panelimage_size panel,
							struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* Does the same for a file that another program of this project has made: it may be as large as a
 * result, and short frames keep their duration. */
struct panelimage_conversion *panelimage_conversion_new_own(const uint8_t *data, size_t size,
							    struct panelimage_size panel,
							    struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* Does the same for a file that was made for a panel of another size: an image of half the width
 * and height is doubled, each pixel becomes a square; of one of twice the width and height the
 * lower right pixel of each square counts, so halving ends what doubling did. */
struct panelimage_conversion *panelimage_conversion_new_adapted(const uint8_t *data, size_t size,
								struct panelimage_size panel,
								struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* Whether the image has this size. Reads its header only. */
bool panelimage_has_size(const uint8_t *data, size_t size, struct panelimage_size panel);

/* Returns by which factor the image is wider and higher than the panel, 1 to
 * PANELIMAGE_MAGNIFICATION_MAX; 0: it has no such size, or is no image. Reads its header only. */
unsigned panelimage_magnification(const uint8_t *data, size_t size, struct panelimage_size panel);

/* Does the same as panelimage_conversion_new() for an image that may have been magnified for a
 * screen, and may have PANELIMAGE_MAGNIFIED_MAX_BYTES: the middle pixel of each square counts. The
 * conversion holds two more images of that size between two steps, and a step takes longer by the
 * factor of the pixels. */
struct panelimage_conversion *panelimage_conversion_new_magnified(const uint8_t *data, size_t size,
								  struct panelimage_size panel,
								  struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* Makes a still be encoded with little effort, in a quarter of the time. Call it before the first
 * step. The result has the same pixels and a few per cent more bytes, far below any limit. No
 * effect on an animation. */
void panelimage_conversion_be_quick(struct panelimage_conversion *conversion);

/* Sets how many bytes the result should have at most, by default PANELIMAGE_OUTPUT_MAX_BYTES. Call
 * it before the first step. An animation is encoded with little effort, and encoded again for about
 * a tenth fewer bytes if it has more than max_bytes, which takes up to three times as long. It may
 * then still have more: the caller decides what that means. No effect on a still. */
void panelimage_conversion_limit(struct panelimage_conversion *conversion, size_t max_bytes);

/* Cuts an animation whose file would exceed PANELIMAGE_OUTPUT_MAX_BYTES at the end of a frame,
 * instead of failing. Call it before the first step. */
void panelimage_conversion_cut(struct panelimage_conversion *conversion);

/* Change of all colours of an image over black. */
struct panelimage_colours {
	/* Thousandths of the red, green and blue of a pixel that make the red, green and blue of
	 * the result: at most 10000 each. What is below 0 or above 255 becomes 0 or 255. */
	int16_t mix[3][3];
	/* Thousandths of the result that stay, at most 1000. A sample that is not 0 becomes at
	 * least 1, so that nothing vanishes, unless level is 0. */
	uint16_t level;
};

/* Returns a pixel, 0xRRGGBB, in other colours, rounded half up twice: by mix, then by level. */
uint32_t panelimage_recolour(uint32_t rgb, const struct panelimage_colours *colours);

/* Changes the colours of all frames: the result is lossless, and has exactly the pixels of
 * panelimage_recolour(). Call it before the first step. Returns 0, or -1 with *reterr set. */
int panelimage_conversion_recolour(struct panelimage_conversion *conversion,
				   const struct panelimage_colours *colours,
				   struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* Does the next step. Returns PANELIMAGE_DONE with *ret, which the caller then owns, or
 * PANELIMAGE_FAILED with *reterr; else both are untouched. After these two results the conversion
 * can only be freed. */
enum panelimage_progress panelimage_conversion_step(struct panelimage_conversion *conversion,
						    struct panelimage_result *ret,
						    struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* Does all steps that are left, and frees the conversion. Returns 0, or -1 with *reterr set and
 * *ret untouched. */
int panelimage_conversion_finish(struct panelimage_conversion *conversion,
				 struct panelimage_result *ret, struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* Frees the conversion, at any time between two steps; it may be NULL. */
void panelimage_conversion_free(struct panelimage_conversion *conversion);

/* Frees the data and zeroes the struct. NULL and a zeroed struct are allowed. */
void panelimage_result_finish(struct panelimage_result *result);

/* Reads the container of a WebP (RFC 9649): canvas, frames, durations, loop count. No pixel is
 * decoded: it is meant for files that panelimage_convert() wrote, to find out how long they play.
 * Returns 0, or -1 with *reterr set and *ret untouched. */
int panelimage_probe_webp(const uint8_t *data, size_t size, struct panelimage_size panel,
			  struct panelimage_info *ret, struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* Cuts an animated WebP at the end of a frame, in place, so that it has max_bytes and
 * PANELIMAGE_FRAMES_MAX frames at most: the frames before look as before. No pixel is decoded; data
 * that is no complete animation stays unchanged, as does one whose first frame is too large.
 * Returns the new size. */
size_t panelimage_cut_webp(uint8_t *data, size_t size, size_t max_bytes);

/* Makes a WebP of one frame, for lists of many pictures: the first of those with the most lit
 * pixels among the first hundred. It is lossless if max_bytes are enough, else close to it, else
 * lossy. Returns 0, or -1 with *reterr set and *ret untouched, also if max_bytes are too few for
 * any way. The caller owns *ret. */
int panelimage_still(const uint8_t *data, size_t size, struct panelimage_size panel,
		     size_t max_bytes, struct panelimage_result *ret,
		     struct panelimage_error *reterr) __attribute__((warn_unused_result));

/* The reverse: converts a WebP for panels into formats that other programs read. PNG: its first
 * frame, each pixel as a square of scale pixels, or as a round LED. GIF: all frames; what has more
 * than 256 colours loses the lowest bits. WebP: only without data. */
struct panelimage_export_options {
	enum panelimage_format format;
	unsigned scale; /* PNG: 1 to PANELIMAGE_SCALE_MAX */
	bool has_leds;	/* PNG */
};

enum { PANELIMAGE_SCALE_MAX = 16 };

struct panelimage_export;

/* Begins an export. data must stay valid until the export is freed; NULL: a black picture of the
 * panel's size. Returns NULL with *reterr set if data is not a WebP of that size, or if there is no
 * memory. */
struct panelimage_export *panelimage_export_new(const uint8_t *data, size_t size,
						struct panelimage_size panel,
						const struct panelimage_export_options *options,
						struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* Each step decodes and encodes one frame at most, or encodes a row of the panel for a PNG, on any
 * thread, but never two at a time. Returns PANELIMAGE_DONE with *ret_data, which the caller frees
 * with free(), and *ret_size. */
enum panelimage_progress panelimage_export_step(struct panelimage_export *exporting,
						uint8_t **ret_data, size_t *ret_size,
						struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* Frees the export, at any time between two steps; it may be NULL. */
void panelimage_export_free(struct panelimage_export *exporting);

/* Gets one decoded frame: rgb has three bytes per pixel, rows from the top, and is valid only
 * during the call. Returns whether to continue. */
typedef bool panelimage_frame_fn(const uint8_t *rgb, uint32_t duration_ms, void *user);

/* Decodes an image of any of the formats and passes its frames over black to on_frame, in order,
 * none merged; a still has the duration 0. Limits and errors are those of panelimage_convert().
 * Returns 0 (also if on_frame stopped it), or -1 with *reterr set; the frames before a damaged one
 * were passed on before. */
int panelimage_decode(const uint8_t *data, size_t size, struct panelimage_size panel,
		      panelimage_frame_fn *on_frame, void *user, struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
