#include "http/request_id.h"

#include <sodium.h>

void request_ids_init(struct request_ids *ids)
{
	randombytes_buf(&ids->prefix, sizeof(ids->prefix));
	randombytes_buf(&ids->count, sizeof(ids->count));
}

static void put_hex(uint64_t number, char *text)
{
	for (int i = 15; i >= 0; i--) {
		text[i] = "0123456789abcdef"[number & 15];
		number >>= 4;
	}
}

void request_ids_next(struct request_ids *ids, char ret_text[static REQUEST_ID_LENGTH + 1])
{
	/* Finisher of SplitMix64: a bijection, so no number repeats; it hides the count. */
	uint64_t mixed = ids->count++;

	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
	mixed ^= mixed >> 31;
	put_hex(ids->prefix, ret_text);
	put_hex(mixed, ret_text + 16);
	ret_text[REQUEST_ID_LENGTH] = '\0';
}
