/* Decisions about addresses. */
#include "text/reach.h"
#include "text_test.h"

#include <netinet/in.h>
#include <string.h>

static bool is_public(const char *text)
{
	struct address address;

	assert_true(address_read(str_from(text), &address));
	return address_is_public(&address);
}

/* First and last address of each range in IANA's two registries of special purposes, of multicast,
 * and of what was never given out. */
static const char *const special[] = {
    "0.0.0.0",
    "0.255.255.255",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "127.0.0.0",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.0.0",
    "169.254.169.254",
    "169.254.255.255",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.0",
    "192.0.0.8",
    "192.0.0.9",
    "192.0.0.170",
    "192.0.0.255",
    "192.0.2.0",
    "192.0.2.255",
    "192.31.196.0",
    "192.52.193.1",
    "192.88.99.1",
    "192.88.99.2",
    "192.168.0.0",
    "192.168.255.255",
    "192.175.48.1",
    "198.18.0.0",
    "198.19.255.255",
    "198.51.100.0",
    "198.51.100.255",
    "203.0.113.0",
    "203.0.113.255",
    "224.0.0.0",
    "239.255.255.255",
    "240.0.0.0",
    "255.255.255.254",
    "255.255.255.255",
    "168.63.129.16",
    "::",
    "::1",
    "::2",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:10.1.2.3",
    "::ffff:169.254.169.254",
    "::ffff:0:0",
    "::ffff:0:127.0.0.1",
    "::ffff:0:8.8.8.8",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::",
    "64:ff9b:1::",
    "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
    "64:ff9b:1::8.8.8.8",
    "64:ff9b:0:1::8.8.8.8",
    "100::",
    "100::ffff:ffff:ffff:ffff",
    "100:0:0:1::1",
    "200::1",
    "400::1",
    "1000::1",
    "2001::",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:1::1",
    "2001:1::2",
    "2001:1::3",
    "2001:2::1",
    "2001:2:0:ffff::1",
    "2001:3::1",
    "2001:4:112::1",
    "2001:10::1",
    "2001:1f:ffff::1",
    "2001:20::1",
    "2001:2f:ffff::1",
    "2001:30::1",
    "2001:3f:ffff::1",
    "2001:1ff:ffff:ffff::1",
    "2001:db8::",
    "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    "2002::",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::1",
    "2002:808:808::1",
    "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2620:4f:8000::1",
    "3ffe::1",
    "3fff::",
    "3fff:fff:ffff::1",
    "4000::",
    "5f00::1",
    "8000::1",
    "fc00::",
    "fd00:ec2::254",
    "fdff:ffff::1",
    "fe00::1",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "feff::1",
    "ff00::",
    "ff02::1",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2a00:1450::5efe:10.0.0.1",
    "2a00:1450::200:5efe:127.0.0.1",
};

/* The neighbours of those ranges, and hosts that everybody knows. */
static const char *const public[] = {
    "1.0.0.0",
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.0.1.255",
    "192.0.3.0",
    "192.31.195.255",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "198.51.99.255",
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "168.63.129.15",
    "2001:200::",
    "2001:db7:ffff::1",
    "2001:db9::",
    "2003::1",
    "2606:4700::1111",
    "2620:4f:7fff::1",
    "2620:4f:8001::1",
    "2a00:1450:4001::200e",
    "3ffd:ffff::1",
    "64:ff9b::8.8.8.8",
    "::ffff:8.8.8.8",
    "2a00:1450::5eff:10.0.0.1",
};

TEST(test_special_addresses)
{
	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (is_public(special[i]))
			fail_msg("%s is taken for public", special[i]);
	for (size_t i = 0; i < sizeof(public) / sizeof(*public); i++)
		if (!is_public(public[i]))
			fail_msg("%s is not taken for public", public[i]);
}

/* An address of IPv4 is judged alike in each form that holds it. */
TEST(test_forms_of_one_address)
{
	for (unsigned i = 0; i < 200000; i++) {
		uint32_t number = (uint32_t)random() << 16 ^ (uint32_t)random();
		struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr = {number}};
		struct address plain, form;
		bool wanted;

		assert_true(address_of_socket((struct sockaddr *)&v4, &plain));
		wanted = address_is_public(&plain);
		for (unsigned which = 0; which < 3; which++) {
			static const uint8_t prefixes[3][12] = {
			    {[10] = 0xff, [11] = 0xff}, /* mapped */
			    {0x00, 0x64, 0xff, 0x9b},	/* translated */
			    {[8] = 0xff, [9] = 0xff},	/* translated as in RFC 2765 */
			};
			struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

			memcpy(&v6.sin6_addr.s6_addr[0], prefixes[which], 12);
			memcpy(&v6.sin6_addr.s6_addr[12], &number, 4);
			assert_true(address_of_socket((struct sockaddr *)&v6, &form));
			assert_int_equal(address_is_public(&form), wanted && which < 2);
		}
	}
}

TEST(test_other_families)
{
	struct sockaddr address = {.sa_family = AF_UNIX};
	struct address made;

	assert_false(address_of_socket(&address, &made));
}

static bool is_listed(const struct network_list *list, const char *text)
{
	struct address address;

	assert_true(address_read(str_from(text), &address));
	return network_list_has(list, &address);
}

TEST(test_what_the_operator_allows)
{
	struct network_list list = {0};

	assert_true(network_list_add(&list, "10.1.0.0/16"));
	assert_true(network_list_add(&list, "192.168.1.7"));
	assert_true(network_list_add(&list, "fd12:3400::/22"));
	assert_true(is_listed(&list, "10.1.255.1"));
	assert_true(is_listed(&list, "::ffff:10.1.255.1"));
	assert_true(is_listed(&list, "64:ff9b::10.1.0.1"));
	assert_true(is_listed(&list, "192.168.1.7"));
	assert_true(is_listed(&list, "fd12:37ff::1"));
	assert_false(is_listed(&list, "8.8.8.8"));
	assert_false(is_listed(&list, "10.2.0.0"));
	assert_false(is_listed(&list, "192.168.1.8"));
	assert_false(is_listed(&list, "192.168.1.6"));
	assert_false(is_listed(&list, "fd12:3800::1"));
	assert_false(is_listed(&list, "127.0.0.1"));
	assert_false(is_listed(&list, "::10.1.255.1"));
}

TEST(test_those_of_this_machine)
{
	static const char *const own[] = {"127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1"};
	struct address address;

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		assert_true(address_read(str_from(own[i]), &address));
		assert_true(address_is_own(&address));
	}
	assert_true(address_read(STR("9.9.9.9"), &address));
	assert_false(address_is_own(&address));
}

TEST(test_texts_that_are_no_range)
{
	static const char *const wrong[] = {
	    "",
	    "/",
	    "/8",
	    "10",
	    "10.0.0",
	    "10.0.0.0/",
	    "10.0.0.0/33",
	    "10.0.0.1/8",
	    "unix",
	    "10.0.0.0/-1",
	    "10.0.0.0/+8",
	    "10.0.0.0/8 ",
	    " 10.0.0.0",
	    "10.0.0.0/8/8",
	    "10.0.0.256",
	    "010.0.0.1/8x",
	    "0x7f000001",
	    "2130706433",
	    "127.1",
	    "localhost",
	    "::/129",
	    "::/1000",
	    "fe80::1%eth0",
	    ":::",
	    "1.2.3.4.5",
	    "10.0.0.0/08000",
	    "11111111111111111111111111111111111111111111111111111111111111111111111111111111",
	};
	struct network_list list = {0};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (network_list_add(&list, wrong[i]))
			fail_msg("%s is taken for a range", wrong[i]);
	assert_int_equal(list.count, 0);
	for (unsigned i = 0; i < NETWORKS_MAX; i++)
		assert_true(network_list_add(&list, "0.0.0.0/0"));
	assert_false(network_list_add(&list, "0.0.0.0/0"));
}

/* Texts made by chance, mostly of what addresses are made of. */
TEST(test_texts_by_chance)
{
	static const char letters[] = "0123456789abcdef.:/x%- ";

	for (unsigned i = 0; i < 300000; i++) {
		struct network_list list = {0};
		char text[40];
		unsigned length = (unsigned)random() % sizeof(text);

		for (unsigned at = 0; at < length; at++)
			text[at] = letters[(size_t)random() % (sizeof(letters) - 1)];
		text[length] = '\0';
		if (network_list_add(&list, text))
			assert_true(list.networks[0].bits <= 128);
	}
}

TEST(private_networks)
{
	static const char *const near[] = {
	    "10.1.2.3",	      "127.0.0.1", "169.254.7.7", "172.16.0.1", "172.31.255.255",
	    "192.168.178.20", "::1",	   "fd12::1",	  "fe80::1",	"::ffff:10.0.0.1"};
	static const char *const far[] = {"11.0.0.1",	 "172.15.0.1", "172.32.0.1", "192.167.0.1",
					  "203.0.113.7", "100.64.0.1", "0.0.0.0",    "2001:db8::1",
					  "::",		 "fec0::1",    "::2"};
	struct address address;

	for (size_t i = 0; i < sizeof(near) / sizeof(*near); i++)
		assert_true(address_read((struct str){near[i], strlen(near[i])}, &address) &&
			    address_is_private(&address));
	for (size_t i = 0; i < sizeof(far) / sizeof(*far); i++)
		assert_true(address_read((struct str){far[i], strlen(far[i])}, &address) &&
			    !address_is_private(&address));
}

/* ---- hosts ---- */

static bool is_local(struct str host, const struct network_list *list, unsigned lacks)
{
	unsigned found = 77;
	bool is = reach_host_is_local(host, list, &found);

	assert_int_equal(found, is ? lacks : 0);
	return is;
}

TEST(hosts_that_are_local)
{
	struct str local =
	    STR("192.168.1.5 10.0.0.1 10.0.0.1. 127.1. 0x7f000001. 127.0.0.1 127.1 0x7f000001 "
		"2130706433 017700000001 0 "
		"0300.0xa8.1.5 169.254.169.254 100.64.0.1 224.0.0.1 255.255.255.255 ::1 :: fe80::1 "
		"fe80::1%eth0 fd12::1 ::ffff:192.168.1.5 ::ffff:c0a8:105 64:ff9b::192.168.1.5 "
		"127.0.0.1. 192.168.1.5. 0x7f000001. 127.1. "
		"localhost LOCALHOST localhost. a.localhost nas.local NAS.Local. local");
	struct str others =
	    STR("8.8.8.8 1.1 2606:4700::1111 ::ffff:8.8.8.8 example.org localhost.example.org "
		"notlocalhost mylocal local.example.org 192.168.1.5.example.org 192.168.1.256 "
		"8.8.8.8. 127.0.0.1.. 127.0.0.1.a. 1.2.3.4.5 . .. % %1 : x%y nas.lan nas");
	struct str host;

	while (str_next(&local, ' ', &host))
		if (!is_local(host, NULL, REACH_NOT_LISTED))
			fail_msg("%.*s", STR_ARG(host));
	while (str_next(&others, ' ', &host))
		if (is_local(host, NULL, 0))
			fail_msg("%.*s", STR_ARG(host));
	assert_false(is_local(STR(""), NULL, 0));
}

TEST(dots_behind_addresses)
{
	static const char *const forms[][2] = {
	    {"127.0.0.1.", "127.0.0.1"},
	    {"8.8.8.8.", "8.8.8.8"},
	    {"127.1.", "127.1"},
	    {"127.0.0.1", "127.0.0.1"},
	    {"127.0.0.1..", "127.0.0.1.."},
	    {"example.org.", "example.org."},
	    {"::1.", "::1."},
	    {".", "."},
	    {"", ""},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		assert_true(
		    str_equal(reach_host_trim(str_from(forms[i][0])), str_from(forms[i][1])));
}

TEST(hosts_that_are_listed)
{
	struct network_list list = {0};

	assert_true(is_local(STR("nas.local"), &list, REACH_NOT_LISTED));
	assert_true(network_list_add(&list, "192.168.1.0/24"));
	assert_true(is_local(STR("192.168.1.5"), &list, 0));
	assert_true(is_local(STR("0xc0a80105"), &list, 0));
	assert_true(is_local(STR("::ffff:192.168.1.5"), &list, 0));
	assert_true(is_local(STR("192.168.2.5"), &list, REACH_NOT_LISTED));
	assert_true(is_local(STR("localhost"), &list, REACH_NOT_LISTED));
	assert_true(is_local(STR("nas.local"), &list, 0));
	assert_true(network_list_add(&list, "::1"));
	assert_true(is_local(STR("localhost"), &list, 0));
	assert_true(is_local(STR("127.0.0.1"), &list, REACH_NOT_LISTED));
}

/* Each part that is missing is named, with who can change it; all together fit into the database.
 */
TEST(sentences)
{
	static const struct {
		unsigned lack;
		const char *word;
	} words[] = {{REACH_NOT_LISTED, "--egress-allow"},
		     {REACH_CLOSED, "Administration, Instance"},
		     {REACH_NOT_MARKED, "Administration, Accounts"}};

	assert_null(reach_sentence(0));
	assert_null(reach_sentence(reach_lacks(false, true)));
	assert_int_equal(reach_lacks(true, false), REACH_CLOSED | REACH_NOT_MARKED);
	for (unsigned lacks = 1; lacks < 12; lacks++) {
		unsigned named = lacks & REACH_PREVIEW ? lacks | REACH_NOT_MARKED : lacks;

		for (unsigned i = 0; i < 3; i++)
			assert_true(!strstr(reach_sentence(lacks), words[i].word) ==
				    !(named & words[i].lack));
		assert_true(lacks >= REACH_PREVIEW || strlen(reach_sentence(lacks)) < 255);
	}
}

RUN_TESTS(NULL, NULL)
