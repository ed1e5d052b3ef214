/* The LZW codes of a GIF image (GIF89a, appendix F), checked before they are decoded.
 *
 * giflib takes an undefined code for the string that is being defined, and so shows a wrong
 * picture. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum gif_lzw {
	GIF_LZW_SOUND,	   /* no fault, or a too early end, which the decoder reports */
	GIF_LZW_UNDEFINED, /* a code that is needed was never defined */
};

/* Checks the codes of an image up to its last pixel. data: the file; pos: of the image's first
 * sub-block; code_bits: the image's LZW minimum code size. *ret_code: the first undefined code. */
enum gif_lzw pi_gif_lzw_check(const uint8_t *data, size_t size, size_t pos, unsigned code_bits,
			      size_t pixels, unsigned *ret_code);
