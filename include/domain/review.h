/* Reviews of versions of apps, as reviewers see and write them. A remark is a comment on a line of
 * a script. */
#pragma once

#include "domain/review_records.h"

enum { REVIEW_COMMENTS_MAX = 200, REVIEW_REMARK_LENGTH_MAX = 4000 /* code points */ };
