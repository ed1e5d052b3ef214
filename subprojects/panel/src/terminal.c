#include "terminal.h"

#include "memory.h"

#include <errno.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

/* Enters the alternate screen, hides the cursor and clears; and the reverse. */
static const char enter_text[] = "\x1b[?1049h\x1b[?25l\x1b[0m\x1b[2J";
static const char leave_text[] = "\x1b[0m\x1b[?25h\x1b[?1049l";

enum { SIGNAL_COUNT = 3 };

struct terminal {
	const struct terminal_events *events;
	void *context;
	uv_tty_t tty;
	uv_write_t write;
	char *pending;	      /* the text that is being written; NULL: none is */
	bool has_input;	      /* standard input is a terminal, and its settings are in saved */
	struct termios saved; /* of standard input */
	uv_signal_t signals[SIGNAL_COUNT];
	int open_handles;
};

/* Writes to the file descriptor at once: it must work when the loop no longer runs. */
static void write_now(const char *text, size_t size)
{
	while (size > 0) {
		ssize_t written = write(STDOUT_FILENO, text, size);

		if (written < 0 && errno != EINTR)
			return;
		if (written > 0) {
			text += written;
			size -= (size_t)written;
		}
	}
}

/* After a failed assertion, too, the terminal must be restored. */
static void on_abort(int number)
{
	write_now(leave_text, sizeof(leave_text) - 1);
	signal(number, SIG_DFL);
	raise(number);
}

static void enter(struct terminal *terminal)
{
	struct termios settings;

	write_now(enter_text, sizeof(enter_text) - 1);
	if (!terminal->has_input)
		return;
	/* Without this, typed characters would appear in the picture. */
	settings = terminal->saved;
	settings.c_lflag &= ~(tcflag_t)(ECHO | ICANON);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
}

static void leave(struct terminal *terminal)
{
	write_now(leave_text, sizeof(leave_text) - 1);
	if (terminal->has_input)
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal->saved);
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct terminal *terminal = handle->data;

	if (number == SIGTSTP) {
		leave(terminal);
		raise(SIGSTOP);
		return; /* SIGCONT comes next */
	}
	if (number == SIGCONT)
		enter(terminal);
	terminal->events->on_redraw(terminal->context);
}

static void start_signals(struct terminal *terminal)
{
	static const int numbers[SIGNAL_COUNT] = {SIGWINCH, SIGTSTP, SIGCONT};

	for (int i = 0; i < SIGNAL_COUNT; i++) {
		uv_signal_t *handle = &terminal->signals[i];

		uv_signal_init(terminal->tty.loop, handle);
		handle->data = terminal;
		uv_signal_start(handle, on_signal, numbers[i]);
		uv_unref((uv_handle_t *)handle);
		terminal->open_handles++;
	}
	signal(SIGABRT, on_abort);
}

int terminal_open(uv_loop_t *loop, const struct terminal_events *events, void *context,
		  struct terminal **ret_terminal)
{
	struct terminal *terminal = memory_zalloc(sizeof(*terminal));
	int error = uv_tty_init(loop, &terminal->tty, STDOUT_FILENO, 0);

	if (error) {
		free(terminal);
		return error;
	}
	terminal->events = events;
	terminal->context = context;
	terminal->tty.data = terminal;
	terminal->open_handles = 1;
	terminal->has_input = tcgetattr(STDIN_FILENO, &terminal->saved) == 0;
	start_signals(terminal);
	enter(terminal);
	*ret_terminal = terminal;
	return 0;
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct terminal *terminal = handle->data;

	if (--terminal->open_handles > 0)
		return;
	free(terminal->pending);
	free(terminal);
}

void terminal_close(struct terminal *terminal)
{
	if (!terminal)
		return;
	signal(SIGABRT, SIG_DFL);
	leave(terminal);
	for (int i = 0; i < SIGNAL_COUNT; i++)
		uv_close((uv_handle_t *)&terminal->signals[i], on_handle_closed);
	uv_close((uv_handle_t *)&terminal->tty, on_handle_closed);
}

void terminal_size(const struct terminal *terminal, int *ret_columns, int *ret_rows)
{
	*ret_columns = *ret_rows = 0;
	uv_tty_get_winsize((uv_tty_t *)&terminal->tty, ret_columns, ret_rows);
}

bool terminal_has_room(const struct terminal *terminal)
{
	return !terminal->pending;
}

static void on_written(uv_write_t *request, int status)
{
	struct terminal *terminal = request->data;

	free(terminal->pending);
	terminal->pending = NULL;
	if (status == 0)
		terminal->events->on_room(terminal->context);
}

void terminal_write(struct terminal *terminal, char *text, size_t size)
{
	uv_buf_t piece = uv_buf_init(text, (unsigned)size);

	terminal->pending = text;
	terminal->write.data = terminal;
	if (size == 0 ||
	    uv_write(&terminal->write, (uv_stream_t *)&terminal->tty, &piece, 1, on_written) != 0) {
		free(text);
		terminal->pending = NULL;
	}
}
