/* The TypeScript renderer: a process that runs scripts of apps, whose types were stripped before.
 * Whoever starts it holds the other end of the socket at descriptor 3 and sends frames, one request
 * at a time. It makes no picture: its answer is the tree of widgets, which render-starlark paints.
 * It opens no file and no socket, and ends with the other side. */
#include "alarm.h"
#include "engine.h"
#include "frame.h"
#include "run.h"

#include <errno.h>
#include <malloc.h>
#include <quickjs.h>
#include <sandbox/sandbox.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINK = ALARM_LINK, KEPT_BYTES = 4 << 20 };

/* Takes from the process what it needed to start. 0 with the layers of the sandbox that are active
 * (without the launcher there are none), or a negative errno. */
static int seal(char *layers, size_t size)
{
	const char *active = getenv("SANDBOX_LAYERS"), *mode = getenv("SANDBOX");
	int status;

	if (!active || !mode) {
		snprintf(layers, size, "none");
		return 0;
	}
	status = sandbox_seal(SANDBOX_SCRIPT);
	if (status < 0 && strcmp(mode, "required") == 0)
		return status;
	snprintf(layers, size, "%s %ssealed", active, status < 0 ? "-" : "");
	return 0;
}

static int greet(const char *layers)
{
	struct text hello = {0};
	int status;

	text_add_format(&hello,
			"{\"engine\":\"TYPESCRIPT\",\"library\":\"quickjs-ng %s\",\"layers\":",
			JS_GetVersion());
	text_add_json(&hello, layers, strlen(layers));
	text_add_str(&hello, "}");
	status = frame_write(LINK, hello.data, hello.length, NULL, 0);
	text_finish(&hello);
	return status;
}

/* 1; 0 at the end, or a negative errno. */
static int answer(void)
{
	struct text head = {0}, blob = {0};
	struct frame request;
	int status = frame_read(LINK, &request);

	if (status == -EINTR)
		return 1;
	if (status <= 0)
		return status;
	if (fetch_is_answer(&request)) { /* which came too late for its request */
		frame_finish(&request);
		return 1;
	}
	engine_serve(&request, &head, &blob);
	frame_finish(&request);
	status = frame_write(LINK, head.data, head.length, blob.data, blob.length);
	text_finish(&head);
	text_finish(&blob);
	malloc_trim(KEPT_BYTES);
	return status < 0 ? status : 1;
}

/* Without a stream of the C library, which calls more than is left. */
static void complain(const char *why)
{
	char line[100];
	int length = snprintf(line, sizeof(line), "render-typescript: %.70s\n", why);

	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		return; /* there is nobody else to tell */
}

int main(void)
{
	struct stat about;
	char layers[200];
	int status;

	if (fstat(LINK, &about) != 0) {
		fputs("render-typescript: is started by displayd and displayctl, with a socket at "
		      "descriptor 3\n",
		      stderr);
		return 2;
	}
	alarm_prepare();
	status = seal(layers, sizeof(layers));
	if (status == 0)
		status = greet(layers);
	for (status = status < 0 ? status : 1; status > 0;)
		status = answer();
	if (status < 0 && status != -EPIPE)
		complain(strerror(-status));
	return status < 0;
}
