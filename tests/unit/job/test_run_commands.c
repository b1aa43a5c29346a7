/* Commands of `pipa run`: words, strings, parameters. */
#include "job/run/run_commands.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "job/run/run.h"
#include "lib/test.h"

static struct pipa_run_commands list;
static struct pipa_error err;

static int make(const struct pipa_run_options *o)
{
	err = (struct pipa_error){ 0 };
	return pipa_run_commands_list(o, &list, &err);
}

TEST(words_are_one_command_unless_the_first_contains_white_space)
{
	char *words[] = { (char[]){ "echo" }, (char[]){ "a b" }, NULL };
	char *strings[] = { (char[]){ "echo a" }, (char[]){ "true" }, NULL };
	struct pipa_run_options o = { .command = words };

	CHECK_EQ(make(&o), 0);
	CHECK_EQ(list.n, 1);
	CHECK(!list.items[0].by_shell);
	CHECK_STR(list.items[0].text, "echo a b");
	CHECK_STR(list.items[0].argv[1], "a b");
	CHECK(!list.items[0].argv[2]);
	pipa_run_commands_done(&list);
	o.shell = PIPA_RUN_SHELL_SH;
	CHECK_EQ(make(&o), 0);
	CHECK(list.items[0].by_shell);
	CHECK_STR(list.items[0].argv[2], "echo a b");
	pipa_run_commands_done(&list);
	o = (struct pipa_run_options){ .command = strings };
	CHECK_EQ(make(&o), 0);
	CHECK_EQ(list.n, 2);
	CHECK(list.items[1].by_shell);
	CHECK_STR(list.items[1].argv[0], "sh");
	CHECK_STR(list.items[1].argv[1], "-c");
	CHECK_STR(list.items[1].argv[2], "true");
	pipa_run_commands_done(&list);
}

TEST(without_a_shell_a_string_is_split_into_words_with_quotes)
{
	const char *commands[] = { "echo  'a b' \"c \\\" d\" e\\ f '' g'h'" };
	struct pipa_run_options o = { .commands = commands,
				      .n_commands = 1,
				      .shell = PIPA_RUN_SHELL_NONE };

	CHECK_EQ(make(&o), 0);
	CHECK(!list.items[0].by_shell);
	CHECK_STR(list.items[0].argv[1], "a b");
	CHECK_STR(list.items[0].argv[2], "c \" d");
	CHECK_STR(list.items[0].argv[3], "e f");
	CHECK_STR(list.items[0].argv[4], "");
	CHECK_STR(list.items[0].argv[5], "gh");
	CHECK(!list.items[0].argv[6]);
	pipa_run_commands_done(&list);
	commands[0] = "echo 'open";
	CHECK_EQ(make(&o), -EINVAL);
	CHECK_STR(err.what, "unterminated quote in command: echo 'open");
}

TEST(parameters_give_all_combinations_of_those_that_a_command_contains)
{
	const struct pipa_run_parameter parameters[] = { { .name = "n", .first = "1", .last = "2" },
							 { .name = "level", .list = "a,,c" } };
	const char *commands[] = { "x {n} {level}", "y {other}", "z {n}{n}" };
	struct pipa_run_options o = {
		.commands = commands, .n_commands = 3, .parameters = parameters, .n_parameters = 2
	};

	CHECK_EQ(make(&o), 0);
	CHECK_EQ(list.n, 6 + 1 + 2);
	CHECK_STR(list.items[0].text, "x 1 a");
	CHECK_STR(list.items[1].text, "x 1 ");
	CHECK_STR(list.items[5].text, "x 2 c");
	CHECK_STR(list.items[5].values[0], "2");
	CHECK_STR(list.items[5].values[1], "c");
	CHECK_STR(list.items[6].text, "y {other}");
	CHECK_STR(list.items[6].values[0], "");
	CHECK_STR(list.items[8].text, "z 22");
	CHECK_STR(list.parameters[1], "level");
	pipa_run_commands_done(&list);
}

TEST(a_scan_has_the_decimals_of_its_start_and_step)
{
	const struct pipa_run_parameter scan = { .name = "s", .first = "0.1", .last = "0.31" };
	char *words[] = { (char[]){ "sleep" }, (char[]){ "{s}" }, NULL };
	struct pipa_run_options o = {
		.command = words, .parameters = &scan, .n_parameters = 1, .step = "0.05"
	};

	o.hooks[PIPA_RUN_PREPARE] = "echo {s}";
	CHECK_EQ(make(&o), 0);
	CHECK_EQ(list.n, 5);
	CHECK_STR(list.items[0].argv[1], "0.10");
	CHECK_STR(list.items[4].argv[1], "0.30");
	CHECK_STR(list.items[4].hooks[PIPA_RUN_PREPARE], "echo 0.30");
	CHECK(!list.items[4].hooks[PIPA_RUN_CLEANUP]);
	pipa_run_commands_done(&list);
	o.step = "0";
	CHECK_EQ(make(&o), -EINVAL);
	CHECK(strstr(err.what, "--parameter-step-size: invalid step '0'"));
	o.step = "0.00001";
	CHECK_EQ(make(&o), -E2BIG);
}

TEST(unknown_parameters_ranges_that_end_before_they_start_and_empty_commands_are_refused)
{
	struct pipa_run_parameter p = { .name = "n", .first = "1", .last = "2" };
	const char *commands[] = { "x" };
	struct pipa_run_options o = {
		.commands = commands, .n_commands = 1, .parameters = &p, .n_parameters = 1
	};

	CHECK_EQ(make(&o), -EINVAL);
	CHECK_STR(err.what, "unknown parameter 'n': no command contains {n}");
	commands[0] = "x {n}";
	p.first = "3";
	CHECK_EQ(make(&o), -EINVAL);
	CHECK(strstr(err.what, "--parameter-scan n: invalid range '3' to '2'"));
	p.name = "n m";
	CHECK_EQ(make(&o), -EINVAL);
	CHECK(strstr(err.what, "invalid name 'n m'"));
	o.n_parameters = 0;
	commands[0] = " \t";
	CHECK_EQ(make(&o), -EINVAL);
	CHECK_STR(err.what, "empty command");
	CHECK_EQ(list.n, 0);
}
