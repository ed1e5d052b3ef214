/* Passwords in a command line, in both forms of a connection string. */
#include "../cmocka_test.h"
#include "base/arguments.h"

#include <stdlib.h>
#include <string.h>

static void assert_hidden(const char *argument, const char *expected)
{
	char first[] = "displayd";
	char *own = strdup(argument);
	char *argv[] = {first, own, NULL};
	char **copy = arguments_hide_passwords(2, argv);

	assert_string_equal(own, expected);
	assert_string_equal(copy[0], "displayd");
	assert_string_equal(copy[1], argument);
	assert_null(copy[2]);
	free(copy);
	free(own);
}

TEST(urls)
{
	assert_hidden("postgresql://ada:se:cret@host/db", "postgresql://ada:*******@host/db");
	assert_hidden("--database=postgres://ada:x@/db", "--database=postgres://ada:*@/db");
	assert_hidden("postgresql://ada:se?cret@host/db", "postgresql://ada:*******@host/db");
	assert_hidden("postgresql://:x@host", "postgresql://:*@host");
	assert_hidden("postgresql://ada:@host", "postgresql://ada:@host");
	assert_hidden("postgresql://host/db?user=a&password=s%20x&sslmode=require",
		      "postgresql://host/db?user=a&password=*****&sslmode=require");
	assert_hidden("postgresql://host:5432/a@b", "postgresql://host:5432/a@b");
	/* Here libpq takes "hunt" as the password, but the real one may be longer. */
	assert_hidden("postgresql://u:hunt@er2x@host/p", "postgresql://u:*********@host/p");
	assert_hidden("postgresql://u:h@un?t@er2x@host", "postgresql://u:***********@host");
	assert_hidden("postgresql://u@v:x@host/p@q", "postgresql://u@v:*@host/p@q");
	assert_hidden("postgresql://u@v:1/p@q", "postgresql://u@v:1/p@q");
	assert_hidden("http://host:80/", "http://host:80/");
	assert_hidden("ws://host/d/1/ws?key=abc", "ws://host/d/1/ws?key=***");
	assert_hidden("--poll=http://host/?a=b&key=abc&c=d", "--poll=http://host/?a=b&key=***&c=d");
	assert_hidden("postgresql://host/db?sslkey=/key", "postgresql://host/db?sslkey=/key");
	assert_hidden("key=x", "key=x");
}

/* libpq decodes the names of parameters. */
TEST(encoded_names)
{
	assert_hidden("postgresql://h/p?%70assword=SECRET", "postgresql://h/p?%70assword=******");
	assert_hidden("postgresql://h/p?a=b&pass%77ord=S&user=u",
		      "postgresql://h/p?a=b&pass%77ord=*&user=u");
	assert_hidden("postgresql://h?pass%77ord=S=T", "postgresql://h?pass%77ord=***");
	assert_hidden("postgresql://h/p?%70=&%71=x", "postgresql://h/p?%70=&%71=*");
	assert_hidden("ws://host/d/1/ws?k%65y=abc", "ws://host/d/1/ws?k%65y=***");
	assert_hidden("postgresql://h/p?%70assword&user=%75",
		      "postgresql://h/p?%70assword&user=%75");
	assert_hidden("postgresql://h/%70=x?user=%75", "postgresql://h/%70=x?user=%75");
	assert_hidden("postgresql://h/p?", "postgresql://h/p?");
	assert_hidden("a?%70assword=x", "a?%70assword=x");
}

TEST(keywords)
{
	assert_hidden("host=x password=secret dbname=d", "host=x password=****** dbname=d");
	assert_hidden("password = 'a b\\'c' user=u", "password = *******' user=u");
	assert_hidden("sslpassword=a password=b", "sslpassword=* password=*");
	assert_hidden("password=a\\ b\\\\ user=u", "password=****** user=u");
	assert_hidden("password=a&b user=u", "password=*** user=u");
	assert_hidden("password=a\vuser=u", "password=*\vuser=u");
	assert_hidden("password='not closed", "password=***********");
	assert_hidden("password", "password");
	assert_hidden("passwords=x password=", "passwords=x password=");
	assert_hidden("", "");
}

TEST(one_time_links)
{
	assert_hidden("https://host/link#abc", "https://host/link#***");
	assert_hidden("host:80/link#a&b=c/link#d", "host:80/link#************");
	assert_hidden("https://host/link#abc is not", "https://host/link#*** is not");
	assert_hidden("a/link#b c/link#d", "a/link#* c/link#*");
	assert_hidden("https://host/link#", "https://host/link#");
	assert_hidden("https://host/links#abc", "https://host/links#abc");
}

RUN_TESTS(NULL, NULL)
