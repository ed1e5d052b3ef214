#include "app_engine.h"

#include "base/process.h"
#include "loop/lanes.h"
#include "main/program.h"
#include "main/render_host.h"
#include "render/engines.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOST_FD = 3, LANE_THREADS = 2 };

struct app_engine {
	struct loop loop;
	struct engines *engines;
	pid_t host;
	uv_async_t keep; /* keeps the loop running while a job waits for the host */
	struct later submit;
	struct engine_job job; /* the last one */
	int error;	       /* why the job did not start: a negative errno; else 0 */
};

/* ---- the render host ---- */

/* Runs in the child, which has only the descriptors given to it. */
static int run_host(void *context)
{
	const int sockets[] = {HOST_FD};
	const struct render_host_settings settings = {.sockets = sockets,
						      .workers = 1,
						      .renders = true,
						      .is_alone = true,
						      .egress_allow = context};

	return render_host_run(&settings);
}

/* Returns the process ID or a negative errno. */
static pid_t start_host(int socket, const struct option_list *egress_allow)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int fds[] = {nothing, nothing, STDERR_FILENO, socket};
	const struct process process = {
	    .run = run_host,
	    .context = (void *)egress_allow,
	    .death_signal = SIGKILL,
	    .is_apart = true,
	    .fds = fds,
	    .fd_count = HOST_FD + 1,
	};
	pid_t pid = nothing < 0 ? -errno : process_start(&process);

	if (nothing >= 0)
		close(nothing);
	return pid;
}

/* Finds programs that this build lacks. The engines report these messages. */
static void find_missing(const char *missing[static ENGINE_LANGUAGE_COUNT])
{
	static const enum render_program programs[] = {RENDER_TYPESCRIPT, RENDER_COMPILER,
						       RENDER_STARLARK};
	struct program program;

	for (unsigned i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		if (program_find(programs[i], false, &program))
			continue;
		if (!missing[ENGINE_TYPESCRIPT])
			missing[ENGINE_TYPESCRIPT] = program_missing(programs[i]);
		if (programs[i] == RENDER_STARLARK)
			missing[ENGINE_STARLARK] = program_missing(programs[i]);
	}
}

/* ---- a job ---- */

static void on_done(struct engine_job *job)
{
	loop_stop(&container_of(job, struct app_engine, job)->loop);
}

/* Submits the job in a turn of the loop, which has updated its time. */
static void on_submit(struct later *later)
{
	struct app_engine *engine = container_of(later, struct app_engine, submit);
	unsigned retry_after_s;

	engine->error = engines_submit(engine->engines, &engine->job, &retry_after_s);
	if (engine->error < 0)
		loop_stop(&engine->loop);
}

struct engine_job *app_engine_run(struct app_engine *engine, const struct engine_job *job,
				  char ret_why[static APP_ENGINE_WHY_MAX])
{
	const char *why_not;

	if (!engines_has(engine->engines, job->language, &why_not)) {
		snprintf(ret_why, APP_ENGINE_WHY_MAX, "%s", why_not);
		return NULL;
	}
	engine->job = *job;
	engine->job.done = on_done;
	loop_later(&engine->loop, &engine->submit);
	loop_run(&engine->loop);
	if (engine->error == 0)
		return &engine->job;
	snprintf(ret_why, APP_ENGINE_WHY_MAX, "%s",
		 engine->error == -EINVAL ? "the settings are larger than 128 KiB"
					  : strerror(-engine->error));
	return NULL;
}

void app_engine_describe(const struct app_engine *engine, struct buffer *text)
{
	engines_describe(engine->engines, text);
}

/* ---- start and end ---- */

static struct app_engine *start(int socket, pid_t host)
{
	struct app_engine *engine = memory_zalloc(sizeof(*engine));
	struct engines_settings settings = {.host = socket, .processes = 1};

	engine->host = host;
	if (loop_init(&engine->loop) < 0)
		abort();
	uv_async_init(&engine->loop.uv, &engine->keep, NULL);
	loop_later_init(&engine->submit, on_submit);
	lanes_start(&engine->loop, LANE_THREADS);
	find_missing(settings.missing);
	engine->engines = engines_create(&engine->loop, &settings);
	return engine;
}

struct app_engine *app_engine_start(const struct option_list *egress_allow,
				    char ret_why[static APP_ENGINE_WHY_MAX])
{
	int sockets[2];
	pid_t host;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
		snprintf(ret_why, APP_ENGINE_WHY_MAX, "no socket: %s", strerror(errno));
		return NULL;
	}
	host = start_host(sockets[1], egress_allow);
	close(sockets[1]);
	if (host > 0)
		return start(sockets[0], host);
	close(sockets[0]);
	snprintf(ret_why, APP_ENGINE_WHY_MAX, "cannot start renderers: %s", strerror(-host));
	return NULL;
}

bool app_engine_has_ended(const struct app_engine *engine)
{
	siginfo_t info = {0};

	return !engine ||
	       (waitid(P_PID, (id_t)engine->host, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		info.si_pid == engine->host);
}

void app_engine_stop(struct app_engine *engine)
{
	if (!engine)
		return;
	uv_close((uv_handle_t *)&engine->keep, NULL);
	engines_drain(engine->engines);
	loop_run(&engine->loop);
	engines_destroy(engine->engines);
	lanes_stop(&engine->loop);
	loop_finish(&engine->loop);
	/* The host ends by itself because its socket is closed; the signal only speeds this up. */
	kill(engine->host, SIGTERM);
	while (waitpid(engine->host, NULL, 0) < 0 && errno == EINTR)
		;
	free(engine);
}
