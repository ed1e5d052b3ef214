#include "alarm.h"

#include "frame.h"
#include "run.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static char answer[256]; /* made before, since a handler of signals can make none */

static void end_process(int number)
{
	int status = frame_write(ALARM_LINK, answer, strlen(answer), NULL, 0);

	(void)number;
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
