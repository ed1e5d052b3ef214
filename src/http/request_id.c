#include "http/request_id.h"
#include "base/hex.h"

#include <sodium.h>

void request_ids_init(struct request_ids *ids)
{
	randombytes_buf(&ids->prefix, sizeof(ids->prefix));
	randombytes_buf(&ids->count, sizeof(ids->count));
}

void request_ids_next(struct request_ids *ids, char ret_text[static REQUEST_ID_LENGTH + 1])
{
	/* Finisher of SplitMix64: a bijection, so no number repeats; it hides the count. */
	uint64_t mixed = ids->count++;

	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
	mixed ^= mixed >> 31;
	hex_encode((const uint64_t[]){ids->prefix, mixed}, 2 * sizeof(mixed), ret_text);
}
