/* Writes the views of devices that a page shows to its stream as they change. A slow reader gets
 * only the newest ones. */
#pragma once

#include "delivery/delivery.h"
#include "page_stream.h"

/* Initializes page->views, without devices. Free it with event_views_finish(). */
void page_views_init(struct page_stream *page);

/* Subscribes to the views of these devices, which must be the account's. Returns false, and
 * subscribes to none, if there is no room for so many. */
bool page_views_subscribe(struct page_stream *page, struct delivery *delivery, const struct id *ids,
			  unsigned count, struct id account_id);
/* Writes waiting views, as far as the reader takes them. */
void page_views_proceed(struct page_stream *page);
/* Marks all views to be written again. */
void page_views_repeat(struct page_stream *page);
