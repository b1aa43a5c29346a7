#include "export/table/messages.h"

#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "lib/test.h"

static struct pipa_buf out;

static const char *chinese(const char *message)
{
	pipa_buf_reset(&out);
	pipa_message_put(message, PIPA_LANGUAGE_ZH, &out);
	return pipa_buf_str(&out);
}

TEST(messages_are_translated_with_their_values)
{
	CHECK_STR(chinese("the file is empty"), "文件为空");
	CHECK_STR(chinese("3 malformed lines skipped, first in line 17"),
		  "跳过 3 行格式错误的内容，首次出现在第 17 行");
	CHECK_STR(chinese("1 malformed line skipped"), "跳过 1 行格式错误的内容");
	CHECK_STR(chinese("statistics of another machine; findings are those of box; 2"),
		  "另一台机器的统计数据；诊断结果来自 box; 2");
}

TEST(values_that_are_messages_are_translated_too)
{
	CHECK_STR(chinese("cannot order a text and a number"), "无法比较文本与数字的大小");
	CHECK_STR(chinese("cannot open /a: b: Permission denied"),
		  "无法打开 /a：b: Permission denied");
	CHECK_STR(chinese("cannot open /a: Permission denied"), "无法打开 /a：权限不足");
	CHECK_STR(chinese("unknown name 'ip', did you mean ipc?"),
		  "未知的名称“ip”，是否应为 ipc？");
	CHECK_STR(chinese("no rows; 4 further notes not shown"), "没有数据行；另有 4 条说明未显示");
}

TEST(an_unknown_message_is_kept_and_marked)
{
	CHECK_STR(chinese("a bug"), "英文原文：a bug");
	pipa_buf_reset(&out);
	pipa_message_put("a bug", PIPA_LANGUAGE_EN, &out);
	CHECK_STR(pipa_buf_str(&out), "a bug");
}

TEST(every_format_translates_an_example_of_itself)
{
	char example[400];
	size_t i, k, n;

	for (i = 0; i < pipa_n_message_formats; i++) {
		const char *english = pipa_message_formats[i].english;

		for (k = n = 0; english[k] && n < sizeof(example) - 1; k++)
			example[n++] = english[k] == '*' ? '7' : english[k];
		example[n] = '\0';
		if (strncmp(chinese(example), "英文", strlen("英文")) == 0)
			CHECK_STR(chinese(example), english);
	}
}

TEST(long_hostile_messages_take_no_time)
{
	char text[8192];

	memset(text, ' ', sizeof(text));
	memcpy(text, "cannot open ", 12);
	text[sizeof(text) - 1] = '\0';
	CHECK_EQ(strncmp(chinese(text), "英文", strlen("英文")), 0);
	pipa_buf_done(&out);
}
