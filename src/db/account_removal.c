#include "db/account_removal.h"
#include "db/statements.h"

enum {
	/* IDs and generations of 100 devices fit into one notification of 8,000 bytes. */
	ROWS_MAX = 100,
	ROWS_FIRST = 10,
	/* For large rows: each has up to 1 MiB, or 200 remarks and a script of 1 MB. */
	LARGE_ROWS_MAX = 10,
	/* After a portion that took less, the next has twice as many rows; after one that took
	 * more, half as many. */
	SHORT_MS = 10,
	LONG_MS = 20,
	/* Pause before retrying if all remaining rows are locked. */
	LOCKED_REST_MS = 100,
	REST_MAX_MS = 1000,
};

void account_removal_begin(struct account_removal *removal, struct id account_id)
{
	*removal = (struct account_removal){.account_id = account_id, .row_limit = ROWS_FIRST};
}

void account_removal_begin_apps(struct account_removal *removal, struct id account_id)
{
	account_removal_begin(removal, account_id);
	removal->only_apps = true;
	removal->step = REMOVAL_OF_INSTALLATIONS;
}

static int64_t row_limit_max(enum account_removal_step step)
{
	return step == REMOVAL_OF_SCHEMAS || step == REMOVAL_OF_VERSIONS ? LARGE_ROWS_MAX
									 : ROWS_MAX;
}

bool account_removal_next(struct account_removal *removal, struct db_query *query,
			  struct removed_portion *row)
{
	struct id id = removal->account_id;
	int64_t row_limit, most = row_limit_max(removal->step);

	if (removal->row_limit > most)
		removal->row_limit = most;
	row_limit = removal->row_limit;
	switch (removal->step) {
	case REMOVAL_OF_KEYS:
		statement_account_removal_keys(query, &(struct account_removal_keys_parameters){id},
					       row);
		return true;
	case REMOVAL_OF_DEVICES:
		statement_account_removal_devices(
		    query, &(struct account_removal_devices_parameters){id, row_limit}, row);
		return true;
	case REMOVAL_MARKS_APPS:
		statement_account_removal_mark_apps(
		    query, &(struct account_removal_mark_apps_parameters){id, row_limit}, row);
		return true;
	case REMOVAL_OF_INSTALLATIONS:
		statement_account_removal_installations(
		    query, &(struct account_removal_installations_parameters){id, row_limit}, row);
		return true;
	case REMOVAL_OF_RENDERS:
		statement_account_removal_renders(
		    query, &(struct account_removal_renders_parameters){id, row_limit}, row);
		return true;
	case REMOVAL_OF_SCHEMAS:
		statement_account_removal_schemas(
		    query, &(struct account_removal_schemas_parameters){id, row_limit}, row);
		return true;
	case REMOVAL_OF_VERSIONS:
		statement_account_removal_versions(
		    query, &(struct account_removal_versions_parameters){id, row_limit}, row);
		return true;
	case REMOVAL_OF_APPS:
		statement_account_removal_apps(query, &(struct account_removal_apps_parameters){id},
					       row);
		return true;
	case REMOVAL_OF_ACCOUNT:
		if (removal->only_apps)
			return false;
		statement_account_removal_end(query, &(struct account_removal_end_parameters){id},
					      row);
		return true;
	case REMOVAL_DONE:
		break;
	}
	return false;
}

static void halve(struct account_removal *removal)
{
	if (removal->row_limit > 1)
		removal->row_limit /= 2;
}

static void fit_portion(struct account_removal *removal, uint64_t took_ms)
{
	if (took_ms < SHORT_MS)
		removal->row_limit *= 2;
	else if (took_ms > LONG_MS)
		halve(removal);
}

uint64_t account_removal_take(struct account_removal *removal,
			      const struct removed_portion *portion, uint64_t took_ms)
{
	bool is_last = removal->step == REMOVAL_OF_ACCOUNT;

	fit_portion(removal, took_ms);
	if (!portion->is_left) {
		removal->has_removed = is_last && portion->removed;
		removal->step++;
		removal->idle_ms = 0;
	} else if (is_last) {
		/* New rows of the account were made meanwhile. */
		removal->step = REMOVAL_OF_KEYS;
	} else if (portion->removed == 0 && removal->step == REMOVAL_OF_APPS) {
		/* An app was marked meanwhile: it is removed in portions, too. */
		removal->step = REMOVAL_OF_INSTALLATIONS;
		removal->idle_ms += took_ms + LOCKED_REST_MS;
		return LOCKED_REST_MS;
	} else if (portion->removed == 0) {
		removal->idle_ms += took_ms + LOCKED_REST_MS;
		return LOCKED_REST_MS;
	}
	if (portion->removed)
		removal->idle_ms = 0;
	return took_ms < REST_MAX_MS ? took_ms : REST_MAX_MS;
}

void account_removal_failed(struct account_removal *removal)
{
	halve(removal);
}
