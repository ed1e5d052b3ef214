/* Header fields that keep a browser from doing more with an answer than our pages need (ASVS 5.0,
 * chapter 3). */
#pragma once

#include "task/task.h"

/* Adds fields for JSON: nothing in it is to be run or shown. */
void web_add_fields(struct task *task);
/* Adds fields for a page: only the site's own resources, no code or style in the page, and no frame
 * in pages of other sites. */
void web_add_page_fields(struct task *task);
/* Adds fields for a page that the origins of --panel-frame may show in a frame. */
void web_add_framed_page_fields(struct task *task);
