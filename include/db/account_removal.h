/* The removal of an account with all that it owns, in portions.
 *
 *   keys -> devices -> its apps are marked -> these on all devices -> what they rendered
 *    ^                                           ^                          |
 *    |                                account <- apps <- their versions <- schemas of these
 *    |                                   |
 *    +- something of it was made meanwhile
 *
 * Apps alone begin with their installations and end with themselves; those that are marked
 * meanwhile make it begin again. So does an app that got a version or an installation.
 *
 * A marked app cannot be used any more, and only its versions may be removed while it is there.
 * Each portion is a transaction of a few milliseconds, and pauses of the same length lie between
 * them, so that the writes of others go on. The keys are revoked first. A removal that was broken
 * off is taken up by beginning again.
 *
 *   account_removal_begin(&removal, id);
 *   while (account_removal_next(&removal, query, &portion))
 *       run the query; then wait for account_removal_take(&removal, &portion, took_ms) */
#pragma once

#include "db/query.h"
#include "domain/account.h"

enum account_removal_step {
	REMOVAL_OF_KEYS,
	REMOVAL_OF_DEVICES,
	REMOVAL_MARKS_APPS,
	REMOVAL_OF_INSTALLATIONS,
	REMOVAL_OF_RENDERS,
	REMOVAL_OF_SCHEMAS,
	REMOVAL_OF_VERSIONS,
	REMOVAL_OF_APPS,
	REMOVAL_OF_ACCOUNT,
	REMOVAL_DONE,
};

struct account_removal {
	struct id account_id;
	enum account_removal_step step;
	int64_t row_limit;
	uint64_t idle_ms; /* for so long all that is left has been locked by something else */
	bool only_apps;	  /* that are marked; the account stays */
	bool has_removed; /* at the end: the account was there, and this removal has removed it */
};

void account_removal_begin(struct account_removal *removal, struct id account_id);
/* The same for the apps of the account, or of nobody, that are marked: the account stays. */
void account_removal_begin_apps(struct account_removal *removal, struct id account_id);

/* Fills the query with the next statement. row: where the caller wants its row, or NULL. False: the
 * removal is done. */
__attribute__((warn_unused_result)) bool account_removal_next(struct account_removal *removal,
							      struct db_query *query,
							      struct removed_portion *row);

/* portion: the statement's row; took_ms: how long it ran. Returns for how many milliseconds the
 * caller is to wait before the next. */
__attribute__((warn_unused_result)) uint64_t
account_removal_take(struct account_removal *removal, const struct removed_portion *portion,
		     uint64_t took_ms);

/* The statement failed and changed nothing. The next one takes fewer rows, in case this one took
 * longer than a statement may. */
void account_removal_failed(struct account_removal *removal);
