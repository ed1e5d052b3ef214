/* Header fields that keep a browser from doing more with an answer than our pages need (ASVS 5.0,
 * chapter 3). */
#pragma once

#include "task/task.h"

/* For JSON: nothing in it is to be run or shown. */
void web_add_fields(struct task *task);
/* For a page: only what the site itself has, and no code or style in the page. Pages of other sites
 * may not show it in a frame. */
void web_add_page_fields(struct task *task);
/* Likewise, but pages of the origins that --panel-frame names may. */
void web_add_framed_page_fields(struct task *task);
