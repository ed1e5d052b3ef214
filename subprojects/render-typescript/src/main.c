/* The TypeScript renderer: a process that runs scripts of apps, whose types were stripped before.
 * The parent process holds the other end of the socket at descriptor 3 and sends frames, one
 * request at a time. The renderer makes no picture: its answer is the tree of widgets, which
 * render-starlark paints. It opens no file and no socket, and ends when the parent closes the
 * socket. */
#include "alarm.h"
#include "engine.h"
#include "run.h"

#include <errno.h>
#include <malloc.h>
#include <quickjs.h>
#include <sandboxed/frame.h>
#include <sandboxed/inside.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT_BYTES = 4 << 20 };

/* Answers one request. Returns 1; 0 at the end of the stream; or a negative errno. */
static int answer(void)
{
	struct bytes head = {0}, blob = {0};
	struct frame request;
	int status = frame_receive(INSIDE_LINK, &request);

	if (status == -EINTR)
		return 1;
	if (status <= 0)
		return status;
	if (fetch_is_answer(&request)) { /* it came too late for its request */
		frame_finish(&request);
		return 1;
	}
	engine_serve(&request, &head, &blob);
	frame_finish(&request);
	status = -ENOMEM; /* the process ends, and with it this run only */
	if (!head.failed)
		status = frame_send(INSIDE_LINK, (struct str){head.data, head.length},
				    (struct str){blob.data, blob.length});
	bytes_finish(&head);
	bytes_finish(&blob);
	malloc_trim(KEPT_BYTES);
	return status < 0 ? status : 1;
}

/* Writes without a stream of the C library, which needs system calls that the sandbox forbids. */
static void complain(const char *why)
{
	char line[100];
	int length = snprintf(line, sizeof(line), "render-typescript: %.70s\n", why);

	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		return; /* the failure cannot be reported */
}

int main(void)
{
	char hello[INSIDE_HELLO_BYTES], library[64];
	struct stat about;
	int status;

	if (fstat(INSIDE_LINK, &about) != 0)
		return inside_fail(
		    "render-typescript",
		    "is started by displayd and displayctl, with a socket at descriptor 3", NULL);
	alarm_prepare();
	snprintf(library, sizeof(library), "quickjs-ng %s", JS_GetVersion());
	status = inside_restrict(SANDBOX_SCRIPT, "TYPESCRIPT", library, hello);
	if (status == 0)
		status = frame_send(INSIDE_LINK, str_from(hello), (struct str){0});
	for (status = status < 0 ? status : 1; status > 0;)
		status = answer();
	if (status < 0 && status != -EPIPE)
		complain(strerror(-status));
	return status < 0;
}
