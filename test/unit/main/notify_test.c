#include "../cmocka_test.h"
#include "../temporary.h"
#include "main/notify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Socket of a service manager, and its last message. */
static int manager = -1;
static char message[1024];

/* path: of a file, or "@NAME" of the abstract namespace. */
static void listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);

	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_true(manager >= 0);
	memcpy(address.sun_path, path, length);
	if (path[0] == '@')
		address.sun_path[0] = 0;
	assert_int_equal(bind(manager, (const struct sockaddr *)(const void *)&address,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)),
			 0);
	setenv("NOTIFY_SOCKET", path, 1);
}

static const char *next_message(void)
{
	ssize_t length = recv(manager, message, sizeof(message) - 1, 0);

	message[length < 0 ? 0 : length] = 0;
	return message;
}

static int set_up(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "@displayd-notify-%d", (int)getpid());
	listen_at(path);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(manager);
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	return 0;
}

TEST_IN(messages_of_a_life, set_up, tear_down)
{
	static const char reloading[] = "RELOADING=1\nMONOTONIC_USEC=";
	const char *said;

	notify_ready("http://127.0.0.1:8080");
	assert_string_equal(next_message(), "READY=1\nSTATUS=http://127.0.0.1:8080");
	notify_alive();
	assert_string_equal(next_message(), "WATCHDOG=1");
	notify_reloading();
	said = next_message();
	assert_memory_equal(said, reloading, strlen(reloading));
	assert_true(strtoull(said + strlen(reloading), NULL, 10) > 0);
	notify_stopping();
	assert_string_equal(next_message(), "STOPPING=1");
}

TEST_IN(a_text_is_one_line, set_up, tear_down)
{
	char text[2048];

	notify_status("it failed\nREADY=1");
	assert_string_equal(next_message(), "STATUS=it failed READY=1");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	notify_ready(text);
	assert_memory_equal(next_message(), "READY=1\nSTATUS=xxx", 18);
	assert_true(strlen(message) < 600);
}

TEST_IN(a_socket_with_a_path, set_up, tear_down)
{
	char path[TEMPORARY_SIZE];

	close(manager);
	assert_non_null(mkdtemp(temporary_path(path, "notify")));
	assert_int_equal(rmdir(path), 0);
	listen_at(path);
	notify_stopping();
	assert_string_equal(next_message(), "STOPPING=1");
	unlink(path);
}

/* Nothing is sent without a manager. */
TEST_IN(without_a_manager, set_up, tear_down)
{
	static const char *const bad[] = {"", "/", "relative", "/nowhere/at/all"};
	char longest[256];

	unsetenv("NOTIFY_SOCKET");
	notify_ready("well");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		setenv("NOTIFY_SOCKET", bad[i], 1);
		notify_alive();
	}
	memset(longest, 'x', sizeof(longest) - 1);
	longest[0] = '/';
	longest[sizeof(longest) - 1] = 0;
	setenv("NOTIFY_SOCKET", longest, 1);
	notify_alive();
	assert_string_equal(next_message(), "");
}

TEST_IN(how_often_it_is_said, set_up, tear_down)
{
	char own[16];

	assert_int_equal(notify_watchdog_ms(), 0);
	setenv("WATCHDOG_USEC", "30000000", 1);
	assert_int_equal(notify_watchdog_ms(), 15000);
	setenv("WATCHDOG_PID", "1", 1);
	assert_int_equal(notify_watchdog_ms(), 0);
	snprintf(own, sizeof(own), "%d", (int)getpid());
	setenv("WATCHDOG_PID", own, 1);
	assert_int_equal(notify_watchdog_ms(), 15000);
	setenv("WATCHDOG_USEC", "much", 1);
	assert_int_equal(notify_watchdog_ms(), 0);
}

RUN_TESTS(NULL, NULL)
