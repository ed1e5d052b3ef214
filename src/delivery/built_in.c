/* Built-in pictures, for callers outside of this folder. */
#include "delivery/delivery.h"
#include "lookups.h"
#include "pictures.h"

#include <string.h>

struct str delivery_refusal_picture(const struct panel_lookup *lookup)
{
	return lookup && lookup->is_undecided ? picture_no_database : picture_unknown_device;
}

struct str delivery_built_in_picture(const uint8_t hash[static PICTURE_HASH_BYTES],
				     enum panel_size panel)
{
	uint8_t built_in[PICTURE_HASH_BYTES];

	picture_hash(picture_nothing_to_show, built_in);
	if (memcmp(hash, built_in, sizeof(built_in)) != 0)
		return (struct str){0};
	return pictures_nothing_to_show(panel);
}
