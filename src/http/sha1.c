#include "http/sha1.h"

enum { BLOCK_BYTES = 64 };

struct sha1_state {
	uint32_t h[5];
	uint8_t block[BLOCK_BYTES];
	size_t used;	/* of block */
	uint64_t total; /* bytes of the message so far */
};

static uint32_t rotate(uint32_t word, int bits)
{
	return (word << bits) | (word >> (32 - bits));
}

static void add_block(struct sha1_state *state)
{
	static const uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
	uint32_t w[80];
	uint32_t a = state->h[0], b = state->h[1], c = state->h[2], d = state->h[3],
		 e = state->h[4];

	for (int t = 0; t < 16; t++) {
		const uint8_t *from = state->block + t * 4;

		w[t] = (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 |
		       from[3];
	}
	for (int t = 16; t < 80; t++)
		w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	for (int t = 0; t < 80; t++) {
		uint32_t f = t < 20   ? (b & c) | (~b & d)
			     : t < 40 ? b ^ c ^ d
			     : t < 60 ? (b & c) | (b & d) | (c & d)
				      : b ^ c ^ d;
		uint32_t next = rotate(a, 5) + f + e + w[t] + constants[t / 20];

		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = next;
	}
	state->h[0] += a;
	state->h[1] += b;
	state->h[2] += c;
	state->h[3] += d;
	state->h[4] += e;
	state->used = 0;
}

static void add_byte(struct sha1_state *state, uint8_t byte)
{
	state->block[state->used++] = byte;
	if (state->used == BLOCK_BYTES)
		add_block(state);
}

void sha1(const struct str *parts, size_t count, uint8_t ret_digest[static SHA1_BYTES])
{
	struct sha1_state state = {
	    .h = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0},
	};

	for (size_t part = 0; part < count; part++) {
		for (size_t i = 0; i < parts[part].length; i++)
			add_byte(&state, (uint8_t)parts[part].data[i]);
		state.total += parts[part].length;
	}
	add_byte(&state, 0x80);
	while (state.used != BLOCK_BYTES - 8)
		add_byte(&state, 0);
	for (int shift = 56; shift >= 0; shift -= 8)
		add_byte(&state, (uint8_t)((state.total * 8) >> shift));
	for (size_t i = 0; i < SHA1_BYTES; i++)
		ret_digest[i] = (uint8_t)(state.h[i / 4] >> (24 - 8 * (i % 4)));
}
