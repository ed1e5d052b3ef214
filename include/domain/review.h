/* Reviews of versions of apps, as reviewers see and write them. A remark is a comment on a line of
 * a script. */
#pragma once

#include "record/record.h"

/* Version that awaits review, in the queue. */
struct review_entry {
	struct id id; /* ID of the version */
	struct str version;
	struct str script_language;
	struct str slug;
	struct str app_name;
	struct str author;	     /* empty: its owner is gone */
	struct str deployed_version; /* empty: none yet, the app is new */
	bool is_own;		     /* the reviewer's own app */
	int64_t created_at_us;
	int64_t sequence;
};

extern const struct record review_entry_record;

/* Version in any state. */
struct review {
	struct id id;
	struct str version;
	struct str script_language;
	struct str slug;
	struct str app_name;
	struct str description;
	struct str author;
	struct str deployed_version;
	bool is_own;
	bool may_review;
	struct str checksum;
	struct str status;
	int64_t reviewed_at_us; /* 0: not yet */
	struct str rejection_reason;
	struct str review_summary;
	struct str review_comments; /* JSON */
	int64_t created_at_us;
	struct str verdict; /* JSON */
};

extern const struct record review_record;

struct review_scripts {
	struct str script_language;
	struct str script_content;
	struct str deployed_version; /* empty: none */
	struct str deployed_content; /* empty: none */
};

extern const struct record review_scripts_record;

enum { REVIEW_COMMENTS_MAX = 200, REVIEW_REMARK_LENGTH_MAX = 4000 /* code points */ };

/* Body of a decision. */
struct review_decision {
	struct str status;
	struct str summary;		   /* data is NULL if left out */
	struct str reason;		   /* data is NULL if left out */
	struct str author;		   /* author of the operator's remarks; data is NULL if left
					      out */
	const struct json_value *comments; /* NULL if left out; its elements are the arrays below */
	struct str *texts;
	int64_t *lines; /* 0: on the whole script */
	unsigned comment_count;
};

extern const struct record review_decision_record;

/* Result of a decision. */
struct review_done {
	struct id id;
	struct id app_id;
	struct id account_id; /* account of its author; none: gone */
	struct str slug;
	struct str version;
	struct str status;
	bool is_reviewed;  /* by this decision; false if the version had been reviewed before */
	bool is_own;	   /* the reviewer's own app, and there is another reviewer: not reviewed */
	bool is_broken;	   /* cannot run, so it cannot be approved: not reviewed */
	bool is_unchecked; /* whether it can run is not known yet: not reviewed */
	struct str script_language;
	struct str fault; /* why it cannot run */
	int64_t reviewed_at_us;
	int64_t generation; /* generation of the app if the version is published; else 0 */
};

extern const struct record review_done_record;
