/* Reviews of versions of apps, as reviewers see and write them. A remark is a comment on a line of
 * a script. */
#pragma once

#include "record/record.h"

/* A version that awaits review, in the queue. */
struct review_entry {
	struct id id; /* of the version */
	struct str version;
	struct str script_language;
	struct str slug;
	struct str app_name;
	struct str author;	     /* empty: its owner is gone */
	struct str deployed_version; /* empty: none yet, the app is new */
	bool is_own;		     /* the reviewer's own */
	int64_t created_at_us;
	int64_t sequence;
};

extern const struct record review_entry_record;

/* A version, whatever its state. */
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
	struct str compile_problem; /* JSON */
};

extern const struct record review_record;

struct review_scripts {
	struct str script_language;
	struct str script_content;
	struct str deployed_version; /* empty: none */
	struct str deployed_content; /* likewise */
};

extern const struct record review_scripts_record;

enum { REVIEW_COMMENTS_MAX = 200, REVIEW_REMARK_LENGTH_MAX = 4000 /* code points */ };

/* The body of a decision. */
struct review_decision {
	struct str status;
	struct str summary;		   /* data is NULL where it is left out */
	struct str reason;		   /* likewise */
	struct str author;		   /* likewise: of the operator's remarks */
	const struct json_value *comments; /* likewise; what it has is below */
	struct str *texts;
	int64_t *lines; /* 0: of the whole script */
	unsigned comment_count;
};

extern const struct record review_decision_record;

/* Result of a decision. */
struct review_done {
	struct id id;
	struct id app_id;
	struct id account_id; /* of its author; none: gone */
	struct str slug;
	struct str version;
	struct str status;
	bool is_reviewed; /* by it: false where the version had been reviewed before */
	bool is_own;	  /* of the reviewer, and there is another one: not reviewed */
	bool is_broken;	  /* it does not compile, so that it cannot be approved: not reviewed */
	int64_t reviewed_at_us;
	int64_t generation; /* of the app, where the version is published; else 0 */
};

extern const struct record review_done_record;
