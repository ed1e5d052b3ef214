/* Renders of apps, as the pages show them to owners of installations, and to the apps' authors.
 * Logs, problems and hosts are texts in rows, and JSON in answers. */
#pragma once

#include "record/record.h"

/* The last render of an installation. */
struct entry_render {
	int64_t rendered_at_us; /* 0: none yet */
	int64_t took_ms;	/* 0: none yet */
	struct str log;
	struct str problem;
	int64_t paused_until_us; /* 0: it is not paused */
	bool is_version_paused;	 /* the version is paused everywhere, not only here */
	bool has_nothing;
	struct str hosts;
};

extern const struct record entry_render_record;

/* The renders of the deployed version of an app. */
struct app_renders {
	struct str version; /* empty: none is deployed */
	int64_t installations;
	int64_t renders;
	int64_t failing;
	int64_t rendered_at_us;	 /* the last one; 0: none yet */
	int64_t average_ms;	 /* 0: none yet */
	int64_t paused_until_us; /* the version, everywhere; 0: it is not paused */
	struct str failures;
	struct str hosts;
	struct str own_log;
};

extern const struct record app_renders_record;
