#include "render/health.h"
#include "base/log.h"
#include "base/memory.h"

#include <sys/wait.h>

const struct region render_health_region = {
    .name = "render health",
    .version = 5,
    .size = sizeof(struct render_health),
};

static const char no_host[] =
    "apps cannot be rendered: the process that starts renderers crashed too often";
static const char *const problems[RENDER_PROGRAM_COUNT] = {
    [RENDER_STARLARK] = "Starlark apps cannot be rendered: their renderer crashed too often",
    [RENDER_TYPESCRIPT] = "TypeScript apps cannot be rendered: their renderer crashed too often",
    [RENDER_COMPILER] =
	"TypeScript apps cannot be rendered: their compiler failed to start too often",
    [RENDER_EGRESS] = "apps that use the network cannot be rendered: the egress crashed too often",
    [RENDER_MESSAGE] = "texts cannot be drawn: their renderer crashed too often",
    [RENDER_COLLECTION] = "collections of apps cannot be read: their reader crashed too often",
    [RENDER_MQTT] = "accounts cannot reach their MQTT brokers: the MQTT bridge crashed too often",
};

void render_health_note_ready(struct render_health *health, enum render_program program)
{
	if (health)
		atomic_store_explicit(&health->crashes[program], 0, memory_order_relaxed);
}

void render_health_note_crash(struct render_health *health, enum render_program program, int status)
{
	if (!health || atomic_fetch_add_explicit(&health->crashes[program], 1,
						 memory_order_relaxed) != RENDER_CRASHES_MAX - 1)
		return;
	log_error("render", problems[program], LOG_INT("times", RENDER_CRASHES_MAX),
		  WIFSIGNALED(status) ? LOG_INT("signal", WTERMSIG(status))
				      : LOG_INT("code", WEXITSTATUS(status)),
		  LOG_TEXT("tried_again", "after a reload, an upgrade or a restart"));
}

bool render_health_has(const struct render_health *health, enum render_program program)
{
	return !health || (!atomic_load_explicit(&health->has_no_host, memory_order_relaxed) &&
			   atomic_load_explicit(&health->crashes[program], memory_order_relaxed) <
			       RENDER_CRASHES_MAX);
}

const char *render_health_problem(const struct render_health *health,
				  const enum render_program *programs, unsigned count)
{
	if (health && atomic_load_explicit(&health->has_no_host, memory_order_relaxed))
		return no_host;
	for (unsigned i = 0; i < count; i++)
		if (!render_health_has(health, programs[i]))
			return problems[programs[i]];
	return NULL;
}

const char *render_health_any_problem(const struct render_health *health)
{
	static const enum render_program all[] = {
	    RENDER_STARLARK, RENDER_TYPESCRIPT, RENDER_COMPILER,  RENDER_EGRESS,
	    RENDER_MQTT,     RENDER_MESSAGE,	RENDER_COLLECTION};

	return render_health_problem(health, all, array_length(all));
}

void render_health_hurry(struct render_health *health, uint64_t until_ms)
{
	if (health)
		atomic_store_explicit(&health->hurry_until_ms, until_ms, memory_order_relaxed);
}

bool render_health_is_hurried(const struct render_health *health, uint64_t now_ms)
{
	return health &&
	       now_ms < atomic_load_explicit(&health->hurry_until_ms, memory_order_relaxed);
}

void render_health_give_up_host(struct render_health *health)
{
	atomic_store(&health->has_no_host, 1);
}

void render_health_reset(struct render_health *health)
{
	atomic_store(&health->has_no_host, 0);
	for (unsigned i = 0; i < RENDER_PROGRAM_COUNT; i++)
		atomic_store(&health->crashes[i], 0);
}
