/* The devices whose panels a page shows: their views are written to its stream as they change. A
 * reader that is slow gets the newest ones. */
#pragma once

#include "delivery/delivery.h"
#include "page_stream.h"

/* It looks at nothing yet. event_views_finish() page->views. */
void page_views_init(struct page_stream *page);

/* Looks at these devices, all of the account's. False, and it looks at none, if there is no room
 * for so many. */
bool page_views_subscribe(struct page_stream *page, struct delivery *delivery, const struct id *ids,
			  unsigned count, struct id account_id);
/* Writes what is to be written, as far as the reader takes it. */
void page_views_proceed(struct page_stream *page);
/* The present state of all of them is to be written again. */
void page_views_repeat(struct page_stream *page);
