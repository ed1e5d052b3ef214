/* The removal of an account with all that it owns, in portions.
 *
 *   keys -> devices -> its apps are marked -> these on all devices -> what they rendered
 *    ^                                           ^                          |
 *    |                                account <- apps <- their versions <- schemas of these
 *    |                                   |
 *    +- something of it was made meanwhile
 *
 * A removal of apps only begins with their installations and ends with the apps. It begins again if
 * further apps are marked meanwhile, or if an app got a version or an installation.
 *
 * A marked app cannot be used any more; only its versions may be removed. Each portion is a
 * transaction of a few milliseconds, followed by a pause of the same length, so that the writes of
 * others go on. The keys are revoked first. An interrupted removal is continued by beginning again.
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
	uint64_t idle_ms; /* time in which all remaining rows were locked by others */
	bool only_apps;	  /* removes only apps that are marked; the account stays */
	bool has_removed; /* at the end: this removal has removed the account */
};

void account_removal_begin(struct account_removal *removal, struct id account_id);
/* Begins the removal of the apps of the account, or of nobody, that are marked: the account stays.
 */
void account_removal_begin_apps(struct account_removal *removal, struct id account_id);

/* Fills the query with the next statement. row: where the caller wants its row, or NULL. Returns
 * false if the removal is done. */
__attribute__((warn_unused_result)) bool account_removal_next(struct account_removal *removal,
							      struct db_query *query,
							      struct removed_portion *row);

/* Takes the statement's row (portion) and its duration. Returns the milliseconds to wait before the
 * next statement. */
__attribute__((warn_unused_result)) uint64_t
account_removal_take(struct account_removal *removal, const struct removed_portion *portion,
		     uint64_t took_ms);

/* Call it if the statement failed and changed nothing. The next statement takes fewer rows, in case
 * this one reached the time limit of statements. */
void account_removal_failed(struct account_removal *removal);
