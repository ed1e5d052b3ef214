#include "alarm.h"

#include "frame.h"
#include "run.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { AGAIN_MS = 50 };

static char answer[256]; /* made before, since a handler of signals can make none */
static volatile sig_atomic_t is_held;

static void end_process(int number)
{
	int status;

	(void)number;
	if (is_held)
		return; /* it comes again */
	status = frame_write(ALARM_LINK, answer, strlen(answer), NULL, 0);
	_exit(status < 0 ? 1 : ALARM_EXIT);
}

void alarm_prepare(void)
{
	struct sigaction action = {.sa_handler = end_process};

	sigaction(SIGALRM, &action, NULL);
}

static void set_timer(int64_t ms)
{
	struct itimerval timer = {
	    .it_interval = {.tv_usec = ms > 0 ? AGAIN_MS * 1000 : 0},
	    .it_value = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000},
	};

	setitimer(ITIMER_REAL, &timer, NULL);
}

void alarm_start(int64_t timeout_ms)
{
	char message[64];

	fault_describe_time(message, sizeof(message), timeout_ms);
	snprintf(answer, sizeof(answer),
		 "{\"error\":{\"kind\":\"%s\",\"message\":\"%s\"},\"elapsed_us\":%lld,"
		 "\"recycle\":true}",
		 FAULT_LIMIT, message, (long long)(timeout_ms + ALARM_EXTRA_MS) * 1000);
	set_timer(timeout_ms + ALARM_EXTRA_MS);
}

void alarm_stop(void)
{
	set_timer(0);
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
	set_timer(most_ms > 0 ? most_ms : 1);
}

void alarm_go_on(int64_t left_ms)
{
	set_timer((left_ms > 0 ? left_ms : 0) + ALARM_EXTRA_MS);
	alarm_release();
}
