#include "render_jobs.h"
#include "base/limits.h"
#include "base/require.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)LIMIT_PARKED_RENDERS == 2 * (int)RENDER_JOBS_OF_ACCOUNT_MAX,
	       "an account alone may park all that it may have under way");

struct render_account {
	struct map_node by_id;
	struct id id;
	struct fair_flow flow;
	struct list first, later; /* of struct render_job: those to take first, and others */
	unsigned count;
	unsigned current; /* in the queue or under way */
};

static struct str key_view(const uint8_t key[static RENDER_JOB_KEY_BYTES])
{
	return (struct str){(const char *)key, RENDER_JOB_KEY_BYTES};
}

static void write_key(const struct upcoming_app *app, uint8_t ret_key[static RENDER_JOB_KEY_BYTES])
{
	int64_t moment_s = app->is_each_turn ? app->moment_s : 0;

	memcpy(ret_key, app->render_key, RENDER_KEY_BYTES);
	memcpy(ret_key + RENDER_KEY_BYTES, &moment_s, sizeof(moment_s));
}

static struct str id_view(const struct id *id)
{
	return (struct str){(const char *)id->bytes, ID_BYTES};
}

void render_jobs_init(struct render_jobs *jobs, unsigned max)
{
	*jobs = (struct render_jobs){.max = max};
	fair_queue_init(&jobs->queue);
}

static struct render_account *account_of(struct render_jobs *jobs, struct id id)
{
	struct map_node *node = map_find(&jobs->by_account, id_view(&id));
	struct render_account *account;

	if (node)
		return container_of(node, struct render_account, by_id);
	account = memory_zalloc(sizeof(*account));
	account->id = id;
	fair_flow_init(&account->flow);
	list_init(&account->first);
	list_init(&account->later);
	map_insert(&jobs->by_account, &account->by_id, id_view(&account->id));
	return account;
}

static void let_go(struct render_jobs *jobs, struct render_account *account)
{
	if (account->count)
		return;
	fair_flow_finish(&account->flow);
	map_remove(&jobs->by_account, &account->by_id);
	free(account);
}

static void give_turn(struct render_jobs *jobs, struct render_job *job)
{
	job->has_turn = true;
	job->account->current++;
	fair_queue_add(&jobs->queue, &job->account->flow, &job->node);
}

static void wait_for_turn(struct render_job *job)
{
	struct render_account *account = job->account;

	list_append(job->app.is_first ? &account->first : &account->later, &job->node);
}

static void repeat(struct render_job *job, const struct upcoming_app *app, uint64_t now_ms)
{
	bool becomes_first = app->is_first && !job->app.is_first;

	job->asked_ms = now_ms;
	if (job->is_under_way)
		return;
	job->app.version_id = app->version_id;
	job->app.is_first = app->is_first;
	if (becomes_first && !job->has_turn) {
		list_remove(&job->node);
		wait_for_turn(job);
	}
}

bool render_jobs_add(struct render_jobs *jobs, const struct upcoming_app *app, uint64_t now_ms)
{
	uint8_t key[RENDER_JOB_KEY_BYTES];
	struct render_account *account;
	struct map_node *node;
	struct render_job *job;

	write_key(app, key);
	node = map_find(&jobs->by_render_key, key_view(key));
	if (node) {
		repeat(container_of(node, struct render_job, by_render_key), app, now_ms);
		return true;
	}
	account = account_of(jobs, app->account_id);
	if (account->count >= jobs->max - jobs->count) {
		let_go(jobs, account);
		return false;
	}
	job = memory_zalloc(sizeof(*job));
	job->app = *app;
	job->account = account;
	job->asked_ms = now_ms;
	account->count++;
	jobs->count++;
	list_init(&job->node);
	memcpy(job->key, key, sizeof(key));
	map_insert(&jobs->by_render_key, &job->by_render_key, key_view(job->key));
	if (account->current < RENDER_JOBS_OF_ACCOUNT_MAX)
		give_turn(jobs, job);
	else
		wait_for_turn(job);
	return true;
}

static struct render_job *take(struct render_jobs *jobs)
{
	struct list *node = fair_queue_take(&jobs->queue);

	return node ? container_of(node, struct render_job, node) : NULL;
}

struct render_job *render_jobs_take(struct render_jobs *jobs, uint64_t now_ms)
{
	struct render_job *job;

	if (jobs->under_way == RENDER_JOBS_UNDER_WAY_MAX)
		return NULL;
	while ((job = take(jobs))) {
		if (now_ms - job->asked_ms <= RENDER_JOB_MS) {
			job->is_under_way = true;
			jobs->under_way++;
			return job;
		}
		render_job_end(jobs, job);
	}
	return NULL;
}

void render_job_end(struct render_jobs *jobs, struct render_job *job)
{
	struct render_account *account = job->account;
	struct list *next = list_take_first(&account->first);

	if (!next)
		next = list_take_first(&account->later);
	account->current--;
	jobs->under_way -= job->is_under_way;
	if (next)
		give_turn(jobs, container_of(next, struct render_job, node));
	map_remove(&jobs->by_render_key, &job->by_render_key);
	free(job);
	jobs->count--;
	account->count--;
	let_go(jobs, account);
}

void render_jobs_finish(struct render_jobs *jobs)
{
	struct render_job *job;

	while ((job = take(jobs)))
		render_job_end(jobs, job);
	require(jobs->count == 0);
	map_finish(&jobs->by_render_key);
	map_finish(&jobs->by_account);
}
