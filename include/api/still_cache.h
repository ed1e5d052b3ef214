/* Keeps converted stills that were pushed a moment ago. If an account pushes the same bytes again,
 * to the same device or another one, they are not converted again.
 *
 * Memory: LIMIT_STILLS_BYTES for each worker, and LIMIT_ACCOUNT_STILLS_BYTES of it for an account,
 * whose oldest stills are dropped first. If the cache is full, drops those of the account that has
 * pushed nothing for longest. */
#pragma once

#include "base/id.h"

#include <panelimage/panelimage.h>
#include <text/str.h>

struct still_cache;

struct still_cache *still_cache_create(void);
void still_cache_destroy(struct still_cache *cache);

/* Finds the picture into which the base64 was converted; NULL if it is not cached. takes_quick:
 * accept one that was made with little effort (see panelimage_conversion_be_quick()). The result is
 * valid until the next call of a function of this header. */
const struct panelimage_result *still_cache_find(struct still_cache *cache, struct id account,
						 struct str base64, bool takes_quick);

/* Copies the result, unless it is too large to be worth keeping, or no memory is left. */
void still_cache_keep(struct still_cache *cache, struct id account, struct str base64,
		      const struct panelimage_result *result, bool is_quick);
