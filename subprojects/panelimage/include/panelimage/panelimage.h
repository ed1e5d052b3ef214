/* panelimage - turns an image that somebody sent into the WebP that a small LED panel shows.
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
 * All functions are pure: no globals, no log, no I/O, any thread. What is sent may be hostile:
 * whatever the bytes are, an answer for a panel of 64x32 takes less than three seconds (an honest
 * file: less than one) and less than 32 MiB; both grow with the pixels of the panel. No clock
 * decides: the same bytes have the same answer on every machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	PANELIMAGE_SIDE_MAX = 256, /* pixels, of the width and of the height of a panel */
	PANELIMAGE_INPUT_MAX_BYTES = 196608,
	PANELIMAGE_OUTPUT_MAX_BYTES = 460000, /* the largest file that panels take */
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
	enum panelimage_format format; /* of the bytes that were read */
	uint32_t frame_count;	       /* 1 for a still */
	bool animated;		       /* has more than one frame */
	uint32_t duration_ms;	       /* of one loop, 0 for a still; UINT32_MAX if it is longer */
	uint32_t loop_count; /* how often it is played, 0 for without end and for a still */
};

struct panelimage_result {
	uint8_t *data; /* a WebP file; malloc, released by panelimage_result_finish() */
	size_t size;   /* bytes, at most PANELIMAGE_OUTPUT_MAX_BYTES */
	struct panelimage_info info; /* of the result; its format is that of the source */
};

struct panelimage_error {
	char text[128];	    /* one sentence without its period, for the one who sent the image */
	bool out_of_memory; /* the image is not to blame */
};

/* Tells the format by the first bytes (PNG 5.2, GIF89a 17, RFC 9649 2.4). */
enum panelimage_format panelimage_detect(const uint8_t *data, size_t size);

/* Whether the bytes look like an animation, to choose a lane for the work: a few microseconds,
 * looks at the container only. A wrong answer is possible for a damaged file, nothing worse. An
 * APNG is none: it stands for its still image. */
bool panelimage_is_animation(const uint8_t *data, size_t size);

/* Decodes the image completely, checks it and makes a WebP that looks on a panel, in every frame,
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

/* Memory that a conversion to 64x32 holds between two steps, and its result. */
enum { PANELIMAGE_HELD_MAX_BYTES = 1024 * 1024 };

/* The same in steps, for a server that has other things to do as well: each step decodes and
 * encodes one frame at most, on any thread, no two at a time. Between two steps nothing is held
 * but memory, of which a step may take far more. A step takes 0.1 to 0.5 ms for a frame of 64x32 of
 * an honest file, and up to 0.2 s for a hostile one. */
struct panelimage_conversion;

enum panelimage_progress { PANELIMAGE_MORE, PANELIMAGE_DONE, PANELIMAGE_FAILED };

/* data stays where it is until the conversion is freed. NULL with *reterr set, if no step is
 * needed to see that the image cannot be converted, or no memory is left. */
struct panelimage_conversion *panelimage_conversion_new(const uint8_t *data, size_t size,
							struct panelimage_size panel,
							struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* The same for a file that another program of ours has made: it may be as large as a result, and
 * its frames stay as short as they are. */
struct panelimage_conversion *panelimage_conversion_new_own(const uint8_t *data, size_t size,
							    struct panelimage_size panel,
							    struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* How many times as wide and as high as the panel the image says it is: 1 to
 * PANELIMAGE_MAGNIFICATION_MAX. 0: its sides are others, or it is no image. Reads its head only. */
unsigned panelimage_magnification(const uint8_t *data, size_t size, struct panelimage_size panel);

/* The same as panelimage_conversion_new() for an image that may have been magnified for a screen:
 * of each square that stands for a pixel the middle one counts. It holds two images of that size
 * more between two steps, and a step takes as many times as long as it has more pixels. */
struct panelimage_conversion *panelimage_conversion_new_magnified(const uint8_t *data, size_t size,
								  struct panelimage_size panel,
								  struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* Before the first step: a still is encoded with little effort, in a quarter of the time. It has
 * the same pixels and a few per cent more bytes, far below any limit; an animation, whose size may
 * meet one, is encoded as ever. */
void panelimage_conversion_be_quick(struct panelimage_conversion *conversion);

/* PANELIMAGE_DONE with *ret, which the caller then owns; PANELIMAGE_FAILED with *reterr; what is
 * not set is untouched. After these two the conversion can only be freed. */
enum panelimage_progress panelimage_conversion_step(struct panelimage_conversion *conversion,
						    struct panelimage_result *ret,
						    struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* At any time between two steps; NULL is fine. */
void panelimage_conversion_free(struct panelimage_conversion *conversion);

/* Releases the data and wipes the struct. NULL and a wiped struct are fine. */
void panelimage_result_finish(struct panelimage_result *result);

/* Reads the container of a WebP (RFC 9649): canvas, frames, durations, loop count. No pixel is
 * decoded: made for files that panelimage_convert() wrote, to learn how long they play.
 * Returns 0, or -1 with *reterr set and *ret untouched. */
int panelimage_probe_webp(const uint8_t *data, size_t size, struct panelimage_size panel,
			  struct panelimage_info *ret, struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* Cuts an animated WebP at the end of a frame, in place, so that it has max_bytes and
 * PANELIMAGE_FRAMES_MAX frames at most: the frames before show what they showed. No pixel is
 * decoded; what is no whole animation stays as it is, and so does one whose first frame is too
 * long. Returns the size that it has now. */
size_t panelimage_cut_webp(uint8_t *data, size_t size, size_t max_bytes);

/* The other way: a WebP that a panel shows, as other programs take it. PNG: its first frame, each
 * pixel as a square of scale pixels, or as a round LED. GIF: all frames; what has more than 256
 * colours loses the lowest bits. WebP: only without data. */
struct panelimage_export_options {
	enum panelimage_format format;
	unsigned scale; /* PNG: 1 to PANELIMAGE_SCALE_MAX */
	bool has_leds;	/* PNG */
};

enum { PANELIMAGE_SCALE_MAX = 16 };

struct panelimage_export;

/* data stays where it is until the export is freed; NULL: a black picture of the panel's size. NULL
 * with *reterr set, if it is not a WebP of that size, or no memory is left. */
struct panelimage_export *panelimage_export_new(const uint8_t *data, size_t size,
						struct panelimage_size panel,
						const struct panelimage_export_options *options,
						struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* Each step decodes and encodes one frame at most, or encodes a row of the panel for a PNG, on any
 * thread, no two at a time. PANELIMAGE_DONE with *ret_data and *ret_size, which the caller then
 * frees by free(). */
enum panelimage_progress panelimage_export_step(struct panelimage_export *exporting,
						uint8_t **ret_data, size_t *ret_size,
						struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

/* At any time between two steps; NULL is fine. */
void panelimage_export_free(struct panelimage_export *exporting);

/* Receives one frame for clients that display: rgb holds three bytes a pixel, rows from the top,
 * valid during the call only. Returns whether to go on. */
typedef bool panelimage_frame_fn(const uint8_t *rgb, uint32_t duration_ms, void *user);

/* Decodes an image of any of the formats and hands out its frames over black, in order, none
 * merged; a still has the duration 0. Same limits and errors as panelimage_convert().
 * Returns 0 (also when on_frame stopped it), or -1 with *reterr set; frames before a damaged one
 * have been handed out by then. */
int panelimage_decode(const uint8_t *data, size_t size, struct panelimage_size panel,
		      panelimage_frame_fn *on_frame, void *user, struct panelimage_error *reterr)
    __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
