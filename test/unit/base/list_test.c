#include "../cmocka_test.h"
#include "base/list.h"

struct item {
	int number;
	struct list node;
};

static void make(struct list *head, struct item *items, int count)
{
	list_init(head);
	for (int i = 0; i < count; i++) {
		items[i].number = i;
		list_init(&items[i].node);
		list_append(head, &items[i].node);
	}
}

static void assert_numbers(const struct list *head, const char *expected)
{
	char text[32] = "";
	size_t length = 0;

	list_for_each (node, (struct list *)(uintptr_t)head)
		text[length++] = (char)('0' + container_of(node, struct item, node)->number);
	assert_string_equal(text, expected);
	for (const struct list *node = head->previous; node != head; node = node->previous)
		assert_int_equal(container_of(node, struct item, node)->number,
				 expected[--length] - '0');
	assert_int_equal(length, 0);
}

TEST(appends_in_order)
{
	struct list head;
	struct item items[5];

	make(&head, items, 0);
	assert_true(list_is_empty(&head));
	assert_numbers(&head, "");
	make(&head, items, 5);
	assert_false(list_is_empty(&head));
	assert_numbers(&head, "01234");
}

TEST(removes_anywhere)
{
	struct list head;
	struct item items[5];

	make(&head, items, 5);
	list_remove(&items[2].node);
	assert_numbers(&head, "0134");
	assert_false(list_is_linked(&items[2].node));
	list_remove(&items[2].node);
	assert_numbers(&head, "0134");
	list_remove(&items[0].node);
	list_remove(&items[4].node);
	assert_numbers(&head, "13");
	assert_ptr_equal(list_take_first(&head), &items[1].node);
	assert_false(list_is_linked(&items[1].node));
	assert_ptr_equal(list_take_first(&head), &items[3].node);
	assert_null(list_take_first(&head));
	assert_true(list_is_empty(&head));
}

TEST(removes_the_current_while_walking)
{
	struct list head;
	struct item items[6];

	make(&head, items, 6);
	list_for_each (node, &head) {
		if (container_of(node, struct item, node)->number % 2 == 0)
			list_remove(node);
	}
	assert_numbers(&head, "135");
}

TEST(moves_all)
{
	struct list a;
	struct list b;
	struct item first[2];
	struct item second[2];

	make(&a, first, 2);
	make(&b, second, 2);
	second[0].number = 7;
	second[1].number = 8;
	list_move_all(&a, &b);
	assert_numbers(&a, "0178");
	assert_true(list_is_empty(&b));
	list_move_all(&a, &b);
	assert_numbers(&a, "0178");
	list_move_all(&b, &a);
	assert_numbers(&b, "0178");
	assert_true(list_is_empty(&a));
}

RUN_TESTS(NULL, NULL)
