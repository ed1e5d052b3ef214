/* Name of a picture for the pages: the first bytes of the SHA-256 of its WebP. */
#pragma once

#include <text/str.h>

#include <stdint.h>

enum { PICTURE_HASH_BYTES = 16 };

void picture_hash(struct str webp, uint8_t ret_hash[static PICTURE_HASH_BYTES]);
