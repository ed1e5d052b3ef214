#include "../cmocka_test.h"
#include "../temporary.h"
#include "base/memory.h"
#include "main/listen_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <unistd.h>

static struct reason why;

static int parse(const char *text, struct listen_address *ret)
{
	return listen_address_parse(str_from(text), ret, &why);
}

TEST(addresses_that_are_taken)
{
	struct listen_address address;

	assert_int_equal(parse("127.0.0.1:8080", &address), 0);
	assert_int_equal(address.address.any.sa_family, AF_INET);
	assert_int_equal(parse("localhost:0", &address), 0);
	assert_int_equal(parse("0.0.0.0:65535", &address), 0);
	assert_int_equal(parse("[::1]:80", &address), 0);
	assert_int_equal(address.address.any.sa_family, AF_INET6);
	assert_false(address.takes_v4);
	assert_int_equal(parse("[::]:80", &address), 0);
	assert_true(address.takes_v4);
	assert_int_equal(parse(":80", &address), 0);
	assert_true(address.takes_v4);
	assert_int_equal(parse("proxy::80", &address), 0);
	assert_true(address.takes_v4 && address.expects_proxy_header);
	assert_int_equal(parse("unix:/run/displayd.sock", &address), 0);
	assert_true(listen_address_is_unix(&address));
	assert_string_equal(address.address.local.sun_path, "/run/displayd.sock");
	assert_int_equal(parse("unix:relative", &address), 0);
	assert_false(address.expects_proxy_header);
}

TEST(addresses_for_proxies)
{
	struct listen_address address;
	char url[256];

	assert_int_equal(parse("proxy:127.0.0.1:8080", &address), 0);
	assert_true(address.expects_proxy_header);
	assert_string_equal(address.text, "proxy:127.0.0.1:8080");
	assert_int_equal(address.address.any.sa_family, AF_INET);
	/* A panel could not connect to such a URL. */
	assert_false(listen_address_url(&address, url, sizeof(url)));
	assert_int_equal(parse("proxy:[::1]:80", &address), 0);
	assert_true(address.expects_proxy_header);
	assert_int_equal(parse("proxy:unix:/run/displayd.sock", &address), 0);
	assert_true(address.expects_proxy_header);
	assert_string_equal(address.address.local.sun_path, "/run/displayd.sock");
}

TEST(addresses_that_are_refused)
{
	static const char *const refused[] = {
	    "",
	    ":",
	    "8080",
	    "127.0.0.1",
	    "127.0.0.1:",
	    "127.0.0.1:x",
	    "127.0.0.1:65536",
	    "127.0.0.1:-1",
	    "::1:80",
	    "[::1]",
	    "[::1]80",
	    "[::1]:",
	    "[127.0.0.1]:80",
	    "[localhost]:80",
	    "example.org:80",
	    "127.1:80",
	    "unix:",
	    "1.2.3.4:80 ",
	    "proxy:",
	    "proxy:unix:",
	    "proxy:8080",
	    "proxy: 127.0.0.1:80",
	    "proxy:proxy:127.0.0.1:80",
	    "PROXY:127.0.0.1:80",
	    "[]:80",
	    "*:80",
	    "::80",
	    "[:80",
	};
	struct listen_address address;

	for (size_t i = 0; i < array_length(refused); i++)
		if (parse(refused[i], &address) == 0)
			fail_msg("\"%s\" is taken", refused[i]);
}

TEST(unix_paths_have_a_limit)
{
	char text[5 + 108 + 1];
	struct listen_address address;

	memset(text, 'x', sizeof(text));
	memcpy(text, "unix:", 5);
	text[5 + 107] = 0;
	assert_int_equal(parse(text, &address), 0);
	text[5 + 107] = 'x';
	text[5 + 108] = 0;
	assert_int_equal(parse(text, &address), -1);
	assert_string_equal(why.text, "the path of a unix socket has at most 107 bytes");
}

TEST(port_0_gets_a_port)
{
	struct listen_address address;
	struct listen_socket socket, second;
	char url[256], expected[256];

	assert_int_equal(parse("127.0.0.1:0", &address), 0);
	assert_int_equal(listen_socket_open(&address, &socket, &why), 0);
	assert_int_not_equal(listen_socket_port(&socket), 0);
	assert_true(listen_address_url(&socket.address, url, sizeof(url)));
	snprintf(expected, sizeof(expected), "http://127.0.0.1:%u", listen_socket_port(&socket));
	assert_string_equal(url, expected);
	/* The same port again. */
	snprintf(expected, sizeof(expected), "127.0.0.1:%u", listen_socket_port(&socket));
	assert_int_equal(parse(expected, &address), 0);
	assert_int_equal(listen_socket_open(&address, &second, &why), -EADDRINUSE);
	assert_non_null(strstr(why.text, "another program listens there"));
	listen_socket_close(&socket);
	assert_int_equal(listen_socket_open(&address, &second, &why), 0);
	listen_socket_close(&second);
}

TEST(any_address_is_shown_as_one_that_can_be_reached)
{
	struct listen_address address;
	struct listen_socket socket;
	char url[256];

	assert_int_equal(parse("0.0.0.0:0", &address), 0);
	assert_int_equal(listen_socket_open(&address, &socket, &why), 0);
	assert_true(listen_address_url(&socket.address, url, sizeof(url)));
	assert_null(strstr(url, "0.0.0.0"));
	listen_socket_close(&socket);
}

static bool can_connect(int family, unsigned port)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
				  .sin6_port = htons((uint16_t)port),
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd = socket(family, SOCK_STREAM, 0);
	int rc = connect(fd, family == AF_INET ? (void *)&v4 : (void *)&v6,
			 family == AF_INET ? sizeof(v4) : sizeof(v6));

	close(fd);
	return rc == 0;
}

TEST(both_families_at_one_port)
{
	static const char *const texts[] = {":0", "[::]:0"};

	for (size_t i = 0; i < array_length(texts); i++) {
		struct listen_address address;
		struct listen_socket socket;

		assert_int_equal(parse(texts[i], &address), 0);
		assert_int_equal(listen_socket_open(&address, &socket, &why), 0);
		assert_int_not_equal(listen_socket_port(&socket), 0);
		assert_true(can_connect(AF_INET, listen_socket_port(&socket)));
		assert_true(can_connect(AF_INET6, listen_socket_port(&socket)));
		listen_socket_close(&socket);
	}
}

/* Tests configurations written when "[::]" was IPv6 alone. */
TEST(ipv4_beside_all_addresses)
{
	struct listen_address addresses[3];
	struct listen_socket v4, v6;
	char text[32];

	assert_int_equal(parse("127.0.0.1:0", &addresses[0]), 0);
	assert_int_equal(listen_socket_open(&addresses[0], &v4, &why), 0);
	snprintf(text, sizeof(text), "127.0.0.1:%u", listen_socket_port(&v4));
	assert_int_equal(parse(text, &addresses[0]), 0);
	snprintf(text, sizeof(text), "[::]:%u", listen_socket_port(&v4));
	assert_int_equal(parse(text, &addresses[1]), 0);
	assert_int_equal(parse(":0", &addresses[2]), 0);
	listen_address_share_port(addresses, 3);
	assert_false(addresses[1].takes_v4);
	assert_true(addresses[2].takes_v4);
	assert_int_equal(listen_socket_open(&addresses[1], &v6, &why), 0);
	assert_true(can_connect(AF_INET6, listen_socket_port(&v6)));
	listen_socket_close(&v6);
	listen_socket_close(&v4);
}

TEST(unix_sockets)
{
	char folder[TEMPORARY_SIZE], path[TEMPORARY_SIZE + 8], text[80];
	struct listen_address address;
	struct listen_socket socket, second;
	struct stat info;
	int fd;

	assert_non_null(mkdtemp(temporary_path(folder, "listener")));
	snprintf(path, sizeof(path), "%s/s", folder);
	snprintf(text, sizeof(text), "unix:%s", path);
	assert_int_equal(parse(text, &address), 0);
	assert_int_equal(listen_socket_open(&address, &socket, &why), 0);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0660);
	assert_false(listen_address_url(&socket.address, text, sizeof(text)));

	/* A socket in use is not replaced. */
	assert_int_equal(listen_socket_open(&address, &second, &why), -EADDRINUSE);
	assert_non_null(strstr(why.text, "another server listens there"));
	assert_int_equal(stat(path, &info), 0);

	/* An unused socket is replaced. */
	close(socket.fd);
	assert_int_equal(listen_socket_open(&address, &second, &why), 0);
	/* The first one's file is gone; that of the second stays. */
	socket.fd = dup(second.fd);
	socket.inode = second.inode + 1;
	listen_socket_close(&socket);
	assert_int_equal(stat(path, &info), 0);
	listen_socket_close(&second);
	assert_int_not_equal(stat(path, &info), 0);

	/* A file that is not a socket is never removed. */
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(listen_socket_open(&address, &second, &why), -EEXIST);
	assert_int_equal(stat(path, &info), 0);
	unlink(path);
	rmdir(folder);
}

RUN_TESTS(NULL, NULL)
