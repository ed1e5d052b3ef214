#include "panel/play.h"

#include "screen.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 200 }; /* interval between calls of ends() */

static volatile sig_atomic_t signalled;

static uint64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void on_signal(int number)
{
	(void)number;
	signalled = 1;
}

static void catch_signals(void (*handler)(int))
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = handler};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

/* Draws everything anew. A terminal without a size counts as large enough. */
static void reset(struct screen *screen)
{
	struct winsize size = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
		size = (struct winsize){.ws_col = PANEL_WIDTH_MAX, .ws_row = SCREEN_ROWS_MAX + 1};
	screen_reset(screen, size.ws_col, size.ws_row);
}

/* Waits until the frame's time is over. Returns false if the player must end. */
static bool wait_for(uint64_t until_ms, panel_play_ends *ends, void *context)
{
	for (;;) {
		uint64_t now_ms = clock_ms();
		uint64_t left_ms = until_ms > now_ms ? until_ms - now_ms : 0;

		if (signalled || ends(context))
			return false;
		if (left_ms == 0)
			return true;
		poll(NULL, 0, (int)(left_ms < LOOK_MS ? left_ms : LOOK_MS));
	}
}

static void play_frames(struct picture *picture, const char *status, panel_play_ends *ends,
			void *context)
{
	static const struct pixels dark;
	struct screen screen;
	struct pixels pixels = dark;
	uint64_t until_ms = clock_ms();
	uint32_t duration_ms = LOOK_MS;

	reset(&screen);
	do {
		if (picture && !picture_has_more_frames(picture))
			picture_rewind(picture);
		if (picture && !picture_next_frame(picture, &pixels, &duration_ms))
			break;
		screen_draw(&screen, &pixels, 100, status, stdout);
		fflush(stdout);
		until_ms += duration_ms;
	} while (wait_for(until_ms, ends, context));
}

bool panel_play(const uint8_t *data, size_t size, const char *status, panel_play_ends *ends,
		void *context)
{
	struct picture *picture = NULL;
	const char *fault;

	signalled = 0;
	if (size > 0)
		picture = picture_open(data, size, &fault);
	if (size > 0 && !picture)
		status = fault;
	catch_signals(on_signal);
	fputs("\x1b[?1049h\x1b[?25l\x1b[0m\x1b[2J", stdout); /* alternate screen, no cursor */
	play_frames(picture, status, ends, context);
	fputs("\x1b[0m\x1b[?25h\x1b[?1049l", stdout);
	fflush(stdout);
	catch_signals(SIG_DFL);
	picture_close(picture);
	return !signalled;
}
