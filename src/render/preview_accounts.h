/* Costs of recent previews by account, so that drafts that never end do not delay others:
 *
 *   limited   a run has reached a limit or crashed: the next runs of this kind get
 *             PREVIEW_LIMITED_MS, until PREVIEW_LIMITED_FOR_S after the last such run
 *   slow      runs computed for more than a quarter of the recent time, and more than two seconds
 *             of it, or one has just reached a limit or crashed: they may not use the process that
 *             is reserved for previews
 *
 * PREVIEW_ACCOUNTS_MAX are remembered; the one whose last run is oldest is forgotten first. Times
 * are monotonic. */
#pragma once

#include "base/list.h"
#include "base/map.h"
#include "render/engine.h"

enum {
	PREVIEW_LIMITED_MS = 1000,
	PREVIEW_LIMITED_FOR_S = 60,
	PREVIEW_ACCOUNTS_MAX = 1024,
};

/* A zeroed one is empty, once its list is initialized. */
struct preview_accounts {
	struct map by_id;
	struct list by_use; /* oldest first */
};

void preview_accounts_init(struct preview_accounts *accounts);
void preview_accounts_finish(struct preview_accounts *accounts);

bool preview_is_limited(const struct preview_accounts *accounts, struct id account,
			enum engine_what what, uint64_t now_us);
bool preview_is_slow(const struct preview_accounts *accounts, struct id account, uint64_t now_us);

/* Notes a run that has just ended, and its cost. */
void preview_note(struct preview_accounts *accounts, struct id account, enum engine_what what,
		  enum engine_problem_kind problem, uint64_t cost_us, uint64_t now_us);
