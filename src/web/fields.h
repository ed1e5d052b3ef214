/* Header fields that keep a browser from doing more with an answer than our pages need (ASVS 5.0,
 * chapter 3). */
#pragma once

#include "task/task.h"

/* Adds fields for JSON: browsers must not run or show it. */
void web_add_fields(struct task *task);
/* Adds fields for a page: only the site's own resources, no inline code or style, and no frames in
 * pages of other sites. */
void web_add_page_fields(struct task *task);
/* Adds fields for a page that the origins of --panel-frame may show in a frame. */
void web_add_framed_page_fields(struct task *task);
