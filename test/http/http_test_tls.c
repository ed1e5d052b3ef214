#include "base/region.h"
#include "base/require.h"
#include "http/tls.h"
#include "http_test_server.h"
#include "loop/lanes.h"

#include <stdio.h>

void test_tls_start(struct test_tls *test, const char *path, struct loop *loop,
		    struct http_listener_settings *listener)
{
	static const struct region *const regions[] = {&http_tls_region};
	static char text[HTTP_TLS_FILE_BYTES_MAX];
	FILE *file = fopen(path, "re");
	struct http_tls_pair pair;

	require(file);
	pair.certificate = pair.key = (struct str){text, fread(text, 1, sizeof(text), file)};
	(void)fclose(file);
	test->shared = region_map_create(regions, 1, 1);
	require(test->shared && http_tls_publish(test->shared, &pair, 1, 1));
	test->tls = http_tls_create(test->shared);
	require(test->tls);
	listener->transport = http_tls_transport(test->tls, false);
	lanes_start(loop, 2);
}

void test_tls_finish(struct test_tls *test, struct loop *loop)
{
	http_tls_destroy(test->tls);
	region_map_destroy(test->shared);
	lanes_stop(loop);
}
