#include "renderer.h"

#include "base/clock.h"
#include "base/memory.h"
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LINK_FD = 3,
	START_TIMEOUT_MS = 20 * 1000,
	EXTRA_MS = 3 * 1000, /* the renderer tells by itself that it is late */
	FRAME_BYTES_MAX = 9 << 20,
	LENGTHS_BYTES = 8,
	GO_FATAL = 2, /* status of a program in Go that its runtime has ended */
};

struct renderer {
	pid_t process;
	int link;
	int errors; /* what it writes to stderr, in memory */
	yyjson_doc *hello;
};

struct programs {
	char launcher[PATH_MAX];
	char renderer[PATH_MAX];
	const char *data;
};

/* What each kind is made of, and what to say where a part is missing. */
static const struct kind {
	const char *program; /* also the name of its folder among the subprojects */
	const char *data;    /* how much memory it may write */
	const char *missing;
} kinds[] = {
    [RENDERER_STARLARK] =
	{
	    "render-starlark",
	    "256M",
	    "this displayctl was built without the renderer of apps in Starlark: Go 1.26.2, "
	    "libseccomp or libwebp 1.5 was missing, or it was left out; run tools/setup and build "
	    "again with -Dstarlark=enabled",
	},
    [RENDERER_TYPESCRIPT] =
	{
	    "render-typescript",
	    "32M",
	    "this displayctl was built without the renderer of apps in TypeScript: esbuild, the "
	    "source of QuickJS-ng or the renderer of apps in Starlark, which paints, was missing, "
	    "or it was left out; run tools/setup and build again with -Dtypescript=enabled",
	},
};

static bool find_programs(const struct kind *kind, struct programs *ret_programs)
{
	ret_programs->data = kind->data;
	return program_find_launcher(ret_programs->launcher) &&
	       program_find(kind->program, kind->program, ret_programs->renderer);
}

/* In the child: the link is 3, standard input and output lead nowhere. */
static _Noreturn void become_renderer(struct programs *programs, int link, int errors)
{
	char *arguments[] = {
	    programs->launcher,	    (char[]){"--best-effort"}, (char[]){"--data"},
	    (char *)programs->data, programs->renderer,	       NULL,
	};
	int nothing = open("/dev/null", O_RDWR);

	link = fcntl(link, F_DUPFD, LINK_FD + 1);
	if (nothing >= 0 && link >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
	    dup2(nothing, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0 &&
	    dup2(link, LINK_FD) >= 0)
		execv(programs->launcher, arguments);
	_exit(127);
}

/* Reads size bytes. False when the other side is gone or the deadline has passed. */
static bool read_exactly(int link, char *to, size_t size, uint64_t deadline_ms)
{
	while (size > 0) {
		uint64_t now_ms = clock_monotonic_ms();
		struct pollfd waits = {.fd = link, .events = POLLIN};
		ssize_t length;

		if (now_ms >= deadline_ms)
			return false;
		if (poll(&waits, 1, (int)(deadline_ms - now_ms)) < 0 && errno != EINTR)
			return false;
		if (!waits.revents)
			continue;
		length = read(link, to, size);
		if (length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN))
			return false;
		if (length > 0) {
			to += length;
			size -= (size_t)length;
		}
	}
	return true;
}

static uint32_t read_length(const unsigned char *from)
{
	return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static void write_length(size_t value, unsigned char *to)
{
	for (int i = 0; i < 4; i++)
		to[i] = (unsigned char)(value >> (24 - 8 * i));
}

static bool read_frame(int link, int64_t timeout_ms, struct renderer_answer *ret_answer)
{
	uint64_t deadline_ms = clock_monotonic_ms() + (uint64_t)timeout_ms;
	unsigned char lengths[LENGTHS_BYTES];
	uint32_t head_size, blob_size;
	char *head;

	if (!read_exactly(link, (char *)lengths, sizeof(lengths), deadline_ms))
		return false;
	head_size = read_length(lengths);
	blob_size = read_length(lengths + 4);
	if (head_size > FRAME_BYTES_MAX || blob_size > FRAME_BYTES_MAX)
		return false;
	head = memory_alloc(head_size + 1);
	*ret_answer = (struct renderer_answer){0};
	if (read_exactly(link, head, head_size, deadline_ms) &&
	    read_exactly(link, buffer_reserve(&ret_answer->blob, blob_size + 1), blob_size,
			 deadline_ms)) {
		buffer_commit(&ret_answer->blob, blob_size);
		ret_answer->head = yyjson_read(head, head_size, 0);
	}
	free(head);
	if (yyjson_is_obj(yyjson_doc_get_root(ret_answer->head)))
		return true;
	yyjson_doc_free(ret_answer->head);
	buffer_finish(&ret_answer->blob);
	return false;
}

static bool write_exactly(int link, struct str text)
{
	while (text.length > 0) {
		ssize_t length = write(link, text.data, text.length);

		if (length < 0 && errno != EINTR)
			return false;
		if (length > 0)
			text = str_from_offset(text, (size_t)length);
	}
	return true;
}

static bool write_frame(int link, struct str head, struct str blob)
{
	unsigned char lengths[LENGTHS_BYTES];
	struct str view = {.data = (const char *)lengths, .length = sizeof(lengths)};

	write_length(head.length, lengths);
	write_length(blob.length, lengths + 4);
	return write_exactly(link, view) && write_exactly(link, head) && write_exactly(link, blob);
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

static struct renderer *start(struct programs *programs, int link[2])
{
	struct renderer *renderer = memory_zalloc(sizeof(*renderer));

	renderer->link = link[0];
	renderer->errors = memfd_create("errors", MFD_CLOEXEC);
	renderer->process = fork();
	if (renderer->process == 0)
		become_renderer(programs, link[1], renderer->errors);
	close(link[1]);
	return renderer;
}

struct renderer *renderer_start(enum renderer_kind kind, char ret_why[static RENDERER_WHY_MAX])
{
	struct programs programs;
	struct renderer_answer hello;
	struct renderer *renderer;
	int link[2];

	if (!find_programs(&kinds[kind], &programs)) {
		snprintf(ret_why, RENDERER_WHY_MAX, "%s", kinds[kind].missing);
		return NULL;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, link) != 0) {
		snprintf(ret_why, RENDERER_WHY_MAX, "no socket: %s", strerror(errno));
		return NULL;
	}
	renderer = start(&programs, link);
	if (renderer->process > 0 && read_frame(renderer->link, START_TIMEOUT_MS, &hello)) {
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

int renderer_ask(struct renderer *renderer, yyjson_mut_doc *head, struct str script,
		 int64_t timeout_ms, struct renderer_answer *ret_answer,
		 char ret_why[static RENDERER_WHY_MAX])
{
	size_t length;
	char *text = yyjson_mut_write(head, 0, &length);
	bool done;

	if (!text) {
		snprintf(ret_why, RENDERER_WHY_MAX, "settings must be UTF-8");
		return -1;
	}
	done = renderer->process > 0 &&
	       write_frame(renderer->link, (struct str){.data = text, .length = length}, script) &&
	       read_frame(renderer->link, timeout_ms + EXTRA_MS, ret_answer);
	free(text);
	if (done)
		return 0;
	if (renderer->process > 0)
		end_process(renderer, ret_why);
	else
		snprintf(ret_why, RENDERER_WHY_MAX, "the renderer is gone");
	return -1;
}
