/* Stills that were pushed a moment ago, as they were converted: an account that pushes the same
 * bytes again, to this device or another one, has them stored without a worker thread's time.
 *
 * Memory: LIMIT_STILLS_BYTES for each worker, and of it LIMIT_ACCOUNT_STILLS_BYTES for an account,
 * whose oldest go first. If all is full, those of the account go that has pushed nothing for
 * longest. */
#pragma once

#include "base/id.h"

#include <panelimage/panelimage.h>
#include <text/str.h>

struct still_cache;

struct still_cache *still_cache_create(void);
void still_cache_destroy(struct still_cache *cache);

/* Finds the picture that the base64 was converted to; NULL if it is not there. takes_quick: also
 * one that was made with little effort (see panelimage_conversion_be_quick()). It is valid until
 * the next call of any of these. */
const struct panelimage_result *still_cache_find(struct still_cache *cache, struct id account,
						 struct str base64, bool takes_quick);

/* Copies the result, unless it is too large to be worth it, or no memory is left. */
void still_cache_keep(struct still_cache *cache, struct id account, struct str base64,
		      const struct panelimage_result *result, bool is_quick);
