#include "renderer.h"

#include "base/memory.h"
#include "ctl/exchange/exchange.h"
#include "main/program.h"
#include "render/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LINK_FD = 3,
	START_TIMEOUT_MS = 20 * 1000,
	EXTRA_MS = 3 * 1000, /* the renderer tells by itself that it is late */
	GO_FATAL = 2,	     /* status of a program in Go that its runtime has ended */
};

struct renderer {
	pid_t process;
	int link;
	int errors; /* what it writes to stderr, in memory */
	yyjson_doc *hello;
	struct app_network *network;
};

static const enum render_program programs[] = {
    [RENDERER_STARLARK] = RENDER_STARLARK,
    [RENDERER_TYPESCRIPT] = RENDER_TYPESCRIPT,
};

/* Runs in the child: the link is 3, standard input and output lead nowhere. */
static _Noreturn void become_renderer(const struct program *program, int link, int errors)
{
	int nothing = open("/dev/null", O_RDWR);

	link = fcntl(link, F_DUPFD, LINK_FD + 1);
	if (nothing >= 0 && link >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
	    dup2(nothing, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0 &&
	    dup2(link, LINK_FD) >= 0)
		execv(program->launcher, (char *const *)program->arguments);
	_exit(127);
}

/* Ends the process and says how it ended: by the first line that it wrote, if there is one. */
static void end_process(struct renderer *renderer, char ret_why[static RENDERER_WHY_MAX])
{
	char line[256] = "";
	ssize_t length;
	int status = 0;

	kill(renderer->process, SIGKILL);
	while (waitpid(renderer->process, &status, 0) < 0 && errno == EINTR)
		;
	renderer->process = 0;
	length = pread(renderer->errors, line, sizeof(line) - 1, 0);
	line[length > 0 ? length : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (WIFEXITED(status) && WEXITSTATUS(status) == GO_FATAL)
		snprintf(ret_why, RENDERER_WHY_MAX,
			 "the app ended its renderer, by too much memory or too deep a stack: %s",
			 line);
	else if (line[0])
		snprintf(ret_why, RENDERER_WHY_MAX, "the renderer ended: %s", line);
	else if (WIFSIGNALED(status))
		snprintf(ret_why, RENDERER_WHY_MAX, "the renderer was ended: %s",
			 strsignal(WTERMSIG(status)));
	else
		snprintf(ret_why, RENDERER_WHY_MAX, "the renderer ended with status %d",
			 WEXITSTATUS(status));
}

static struct renderer *start(const struct program *program, int link[2])
{
	struct renderer *renderer = memory_zalloc(sizeof(*renderer));

	renderer->link = link[0];
	renderer->errors = memfd_create("errors", MFD_CLOEXEC);
	renderer->process = fork();
	if (renderer->process == 0)
		become_renderer(program, link[1], renderer->errors);
	close(link[1]);
	return renderer;
}

struct renderer *renderer_start(enum renderer_kind kind, char ret_why[static RENDERER_WHY_MAX])
{
	struct program program;
	struct renderer_answer hello;
	struct renderer *renderer;
	int link[2];

	if (!program_find(programs[kind], false, &program)) {
		snprintf(ret_why, RENDERER_WHY_MAX, "%s", program_missing(programs[kind]));
		return NULL;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, link) != 0) {
		snprintf(ret_why, RENDERER_WHY_MAX, "no socket: %s", strerror(errno));
		return NULL;
	}
	renderer = start(&program, link);
	if (renderer->process > 0 &&
	    exchange_frames(renderer->link, NULL, (struct str){0}, START_TIMEOUT_MS, &hello)) {
		renderer->hello = hello.head;
		buffer_finish(&hello.blob);
		return renderer;
	}
	if (renderer->process > 0)
		end_process(renderer, ret_why);
	else
		snprintf(ret_why, RENDERER_WHY_MAX, "cannot fork: %s", strerror(errno));
	renderer_stop(renderer);
	return NULL;
}

void renderer_stop(struct renderer *renderer)
{
	char why[RENDERER_WHY_MAX];

	if (!renderer)
		return;
	if (renderer->process > 0)
		end_process(renderer, why);
	yyjson_doc_free(renderer->hello);
	close(renderer->errors);
	close(renderer->link);
	free(renderer);
}

static const char *hello_text(const struct renderer *renderer, const char *name)
{
	const char *text =
	    yyjson_get_str(yyjson_obj_get(yyjson_doc_get_root(renderer->hello), name));

	return text ? text : "";
}

const char *renderer_layers(const struct renderer *renderer)
{
	return hello_text(renderer, "layers");
}

const char *renderer_library(const struct renderer *renderer)
{
	return hello_text(renderer, "library");
}

void renderer_use_network(struct renderer *renderer, struct app_network *network)
{
	renderer->network = network;
}

int renderer_ask(struct renderer *renderer, yyjson_mut_doc *head, struct str script,
		 int64_t timeout_ms, struct renderer_answer *ret_answer,
		 char ret_why[static RENDERER_WHY_MAX])
{
	struct buffer frame = {0};
	size_t length;
	char *text = yyjson_mut_write(head, 0, &length);
	bool done;

	if (!text) {
		snprintf(ret_why, RENDERER_WHY_MAX, "settings must be UTF-8");
		return -1;
	}
	done = renderer->process > 0 &&
	       frame_append(&frame, (struct str){.data = text, .length = length}, script) &&
	       exchange_frames(renderer->link, renderer->network, buffer_view(&frame),
			       timeout_ms + EXTRA_MS, ret_answer);
	buffer_finish(&frame);
	free(text);
	if (done)
		return 0;
	/* Drop fetches in flight: their answers would go to the next renderer, whose IDs are the
	 * same. */
	if (renderer->network)
		app_network_leave(renderer->network);
	if (renderer->process > 0)
		end_process(renderer, ret_why);
	else
		snprintf(ret_why, RENDERER_WHY_MAX, "the renderer is gone");
	return -1;
}
