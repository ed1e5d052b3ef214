#include "alarm.h"

#include "run.h"

#include <sandboxed/frame.h>
#include <sandboxed/inside.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { AGAIN_MS = 50 };

/* Formatted before, since a signal handler cannot do that. */
static char limit_answer[256], late_answer[256];
static volatile sig_atomic_t is_held;
static int64_t cpu_end_us, clock_end_us; /* change only while no timer runs, or while held */

volatile sig_atomic_t render_alarm_rang;

/* The timer of processor time counts whole ticks of the kernel's clock: on a busy machine it can be
 * far ahead of the time that this process has used. */
static void ring(int number)
{
	const char *answer = number == SIGPROF ? limit_answer : late_answer;
	int64_t left_us =
	    number == SIGPROF ? cpu_end_us - cpu_us() : clock_end_us - clock_monotonic_us();
	int status;

	if (is_held)
		return; /* the timer fires again */
	render_alarm_rang |= left_us <= ALARM_EXTRA_MS * 1000;
	if (left_us > 0)
		return;
	status = frame_send(INSIDE_LINK, str_from(answer), (struct str){0});
	_exit(status < 0 ? 1 : ALARM_EXIT);
}

void alarm_prepare(void)
{
	struct sigaction action = {.sa_handler = ring};

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGPROF, &action, NULL);
}

static void set_timer(int which, int64_t ms)
{
	struct itimerval timer = {
	    .it_interval = {.tv_usec = ms > 0 ? AGAIN_MS * 1000 : 0},
	    .it_value = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000},
	};

	setitimer(which, &timer, NULL);
}

static void write_answer(char answer[static 256], const char *kind, const char *message,
			 int64_t elapsed_ms)
{
	snprintf(answer, 256,
		 "{\"error\":{\"kind\":\"%s\",\"message\":\"%s\"},\"elapsed_us\":%lld,"
		 "\"recycle\":true}",
		 kind, message, (long long)elapsed_ms * 1000);
}

void alarm_start(int64_t cpu_ms, int64_t wall_ms)
{
	char message[64];

	fault_describe_time(message, sizeof(message), cpu_ms);
	write_answer(limit_answer, FAULT_LIMIT, message, cpu_ms + ALARM_EXTRA_MS);
	write_answer(late_answer, FAULT_LATE, FAULT_STARVED, wall_ms + ALARM_EXTRA_MS);
	cpu_end_us = cpu_us() + (cpu_ms + ALARM_EXTRA_MS) * 1000;
	clock_end_us = clock_monotonic_us() + (wall_ms + ALARM_EXTRA_MS) * 1000;
	render_alarm_rang = 0;
	set_timer(ITIMER_PROF, cpu_ms > 0 ? cpu_ms : 1);
	set_timer(ITIMER_REAL, wall_ms > 0 ? wall_ms : 1);
}

void alarm_stop(void)
{
	set_timer(ITIMER_PROF, 0);
	set_timer(ITIMER_REAL, 0);
}

void alarm_hold(void)
{
	is_held = 1;
}

void alarm_release(void)
{
	is_held = 0;
}

void alarm_wait(int64_t most_ms)
{
	alarm_hold();
	set_timer(ITIMER_REAL, most_ms > 0 ? most_ms : 1);
}

void alarm_go_on(int64_t left_ms)
{
	left_ms = left_ms > 0 ? left_ms : 0;
	clock_end_us = clock_monotonic_us() + (left_ms + ALARM_EXTRA_MS) * 1000;
	set_timer(ITIMER_REAL, left_ms + 1);
	alarm_release();
}
