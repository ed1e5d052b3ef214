#include "ctl/shell/prompt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { LINE_BYTES_MAX = 4096 };

/* Terminal whose echo is off: a signal that ends or stops the program restores it; -1: none. */
static volatile sig_atomic_t silent_fd = -1;
static struct termios echoing;
static const char *silent_question;

static void on_signal(int number)
{
	if (silent_fd >= 0)
		(void)tcsetattr(silent_fd, TCSAFLUSH, &echoing);
	signal(number, SIG_DFL);
	raise(number);
}

static bool switch_echo_off(void)
{
	static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP};
	struct termios silent = echoing;

	silent.c_lflag &= ~(tcflag_t)ECHO;
	for (unsigned i = 0; i < array_length(numbers); i++)
		signal(numbers[i], on_signal);
	return tcsetattr(silent_fd, TCSAFLUSH, &silent) == 0;
}

/* Prints the question again when the program continues after Ctrl-Z. */
static void on_continue(int number)
{
	int error = errno;

	(void)number;
	if (silent_fd >= 0 && switch_echo_off() &&
	    write(silent_fd, silent_question, strlen(silent_question)) > 0)
		(void)!write(silent_fd, ": ", 2);
	errno = error;
}

/* Switches the echo off. Returns false if fd is not a terminal, or had no echo. */
static bool take_echo(int fd, const char *question)
{
	if (tcgetattr(fd, &echoing) < 0 || !(echoing.c_lflag & ECHO))
		return false;
	silent_question = question;
	silent_fd = fd;
	signal(SIGCONT, on_continue);
	return switch_echo_off();
}

static void give_echo(int fd)
{
	silent_fd = -1;
	tcsetattr(fd, TCSAFLUSH, &echoing);
}

enum ctl_exit ctl_ask_line(struct ctl *ctl, const char *question, bool is_secret,
			   const char *otherwise, struct str *ret_line)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	FILE *terminal = fd >= 0 ? fdopen(fd, "r+") : NULL;
	char line[LINE_BYTES_MAX] = "";
	bool is_silent;

	if (!terminal)
		return ctl_fail(CTL_USAGE, "there is no terminal to ask on; give %s", otherwise);
	is_silent = is_secret && take_echo(fd, question);
	fprintf(terminal, "%s: ", question);
	fflush(terminal);
	if (!fgets(line, sizeof(line), terminal))
		line[0] = '\0';
	if (is_silent) {
		give_echo(fd);
		fputc('\n', terminal);
	}
	fclose(terminal);
	line[strcspn(line, "\r\n")] = '\0';
	*ret_line = arena_copy(&ctl->arena, str_from(line));
	sodium_memzero(line, sizeof(line));
	return ret_line->length ? CTL_DONE : ctl_fail(CTL_REFUSED, "no input");
}
