#include "export/table/messages.h"

#include <stdbool.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"

enum { MAX_PARTS = 8, MAX_DEPTH = 4 };

/* The first format that matches counts: more specific ones come first. */
const struct pipa_message_format pipa_message_formats[] = {
	/* src/load: parts of the input */
	{ "the file is empty", "文件为空" },
	{ "report of stat as text, whose values are rounded; write it with -x , or --json to analyze it",
	  "这是 stat 的文本报告，其数值经过舍入；请用 -x , 或 --json 输出后再分析" },
	{ "not a file that pipa reads", "不是 pipa 能读取的文件" },
	{ "the file cannot be read", "无法读取该文件" },
	{ "no counters: neither perf_stat.txt nor perf-stat.csv has any",
	  "没有计数器：perf_stat.txt 和 perf-stat.csv 中都没有" },
	{ "no recording: perf.data is missing", "没有采样记录：缺少 perf.data" },
	{ "no statistics: neither a history nor sar_*.csv nor sar.txt",
	  "没有统计数据：既没有 history，也没有 sar_*.csv 或 sar.txt" },
	{ "no description of the machine: spec_info.yaml is missing",
	  "没有机器描述：缺少 spec_info.yaml" },
	{ "truncated or corrupt", "被截断或已损坏" },
	{ "statistics of another machine; findings are those of *",
	  "另一台机器的统计数据；诊断结果来自 {1}" },
	{ "statistics of the same time; findings are those of *",
	  "同一时间的统计数据；诊断结果来自 {1}" },
	{ "*; * further note* not shown", "{1}；另有 {2} 条说明未显示" },
	{ "the series exceed the limit of memory; the rest is not used",
	  "序列超过内存上限；其余部分未使用" },
	{ "larger than * MiB, the limit for this format; not used",
	  "大于 {1} MiB（该格式的上限）；未使用" },
	{ "* malformed line* skipped, first in line *",
	  "跳过 {1} 行格式错误的内容，首次出现在第 {3} 行" },
	{ "* malformed line* skipped", "跳过 {1} 行格式错误的内容" },
	{ "* malformed line*", "{1} 行格式错误的内容" },
	{ "* malformed byte* at the end skipped", "跳过末尾 {1} 字节格式错误的内容" },
	{ "* corrupt byte* skipped", "跳过 {1} 字节损坏的内容" },
	{ "* part* of a newer pipa skipped", "跳过 {1} 个由更新版本的 pipa 写入的部分" },
	{ "unknown table '*' skipped", "跳过未知的表“{1}”" },
	{ "no rows", "没有数据行" },
	{ "no intervals", "没有采样间隔" },
	{ "no counters", "没有计数器" },
	{ "no samples", "没有采样" },

	/* src/import/rules.c, src/analyze/rules: problems of rules */
	{ "unknown key '*', *", "未知的键“{1}”，{2}" },
	{ "unknown key '*'", "未知的键“{1}”" },
	{ "unknown name '*', *", "未知的名称“{1}”，{2}" },
	{ "unknown name '*'", "未知的名称“{1}”" },
	{ "did you mean *, * or *?", "是否应为 {1}、{2} 或 {3}？" },
	{ "did you mean * or *?", "是否应为 {1} 或 {2}？" },
	{ "did you mean *?", "是否应为 {1}？" },
	{ "a key must be a word", "键必须是一个单词" },
	{ "config: expected 'NAME: VALUE' lines", "config：应为“NAME: VALUE”形式的行" },
	{ "duplicate threshold '*', first in line *", "阈值“{1}”重复，首次出现在第 {2} 行" },
	{ "threshold '*' has no value", "阈值“{1}”没有值" },
	{ "threshold '*': '*' is not a number; a text needs quotes",
	  "阈值“{1}”：“{2}”不是数字；文本需要加引号" },
	{ "severity: invalid '*', expected info, notice, warning or critical",
	  "severity：“{1}”无效，应为 info、notice、warning 或 critical" },
	{ "confidence: invalid '*', expected low, medium, high or 0 to 1",
	  "confidence：“{1}”无效，应为 low、medium、high 或 0 到 1" },
	{ "audit: invalid '*', expected true or false", "audit：“{1}”无效，应为 true 或 false" },
	{ "evidence: expected a list of variables", "evidence：应为变量列表" },
	{ "evidence: more than * variables", "evidence：变量多于 {1} 个" },
	{ "expected a rule: 'name', 'precondition', 'finding'",
	  "应为一条规则：'name'、'precondition'、'finding'" },
	{ "duplicate key '*'", "键“{1}”重复" },
	{ "missing name of the rule that ends here", "在此结束的规则没有名称" },
	{ "expected a list of rules", "应为规则列表" },
	{ "unsupported version '*', expected 1", "不支持的版本“{1}”，应为 1" },
	{ "*: expected a text", "{1}：应为文本" },
	{ "missing }", "缺少 }" },
	{ "unexpected }", "多余的 }" },
	{ "expected {NAME} or {NAME:.1f}", "应为 {NAME} 或 {NAME:.1f}" },
	{ "invalid nouns, expected {NAME|ONE|OTHERS}", "名词无效，应为 {NAME|单数|复数}" },
	{ "invalid format, expected .0f to .9f", "格式无效，应为 .0f 到 .9f" },
	{ "expression has too many operands", "表达式的操作数过多" },
	{ "invalid escape in a string", "字符串中的转义无效" },
	{ "string without an end", "字符串没有结束" },
	{ "invalid number", "数字无效" },
	{ "defined() takes the name of a variable", "defined() 的参数是变量名" },
	{ "expected ) or ,", "应为 ) 或 ," },
	{ "the function takes one argument", "该函数只有一个参数" },
	{ "name is too long", "名称过长" },
	{ "expected a value", "应为一个值" },
	{ "unknown function: only min, max, abs and defined exist",
	  "未知的函数：只有 min、max、abs 和 defined" },
	{ "too many names", "名称过多" },
	{ "expected an operator or )", "应为运算符或 )" },
	{ "expected an operator", "应为运算符" },
	{ "missing )", "缺少 )" },
	{ "unexpected )", "多余的 )" },
	{ "the expression ends early", "表达式不完整" },
	{ "expression is nested too deeply", "表达式嵌套过深" },
	{ "expression is too long", "表达式过长" },
	{ "cannot order * and *", "无法比较{1}与{2}的大小" },
	{ "cannot compute with * and *", "无法用{1}与{2}计算" },
	{ "cannot negate *", "无法对{1}取负" },
	{ "division by zero", "除数为零" },
	{ "the result is too large", "结果过大" },
	{ "*() takes numbers, not *", "{1}() 的参数应为数字，而不是{2}" },
	{ "an absent value", "缺失的值" },
	{ "a truth value", "真值" },
	{ "a number", "数字" },
	{ "a text", "文本" },
	{ "None", "None" },

	/* src/job/view/annotate_list.c, src/symbol/text/disasm.c: code of hot functions */
	{ "no code: build ID mismatch", "没有代码：构建 ID 不一致" },
	{ "no code: not an ELF file", "没有代码：不是 ELF 文件" },
	{ "no code: file not found or not readable", "没有代码：文件不存在或无法读取" },
	{ "no code: its address is not known, or is in no mapping",
	  "没有代码：其地址未知，或不在任何映射中" },
	{ "no code: JIT-compiled code is in no file", "没有代码：JIT 编译的代码不在任何文件中" },
	{ "no code: use --vmlinux FILE for kernel code",
	  "没有代码：内核代码请用 --vmlinux FILE 指定" },
	{ "no code: the module file has another function at the address",
	  "没有代码：模块文件在该地址处是另一个函数" },
	{ "no code: only a debug file or a corrupt file was found",
	  "没有代码：只找到调试文件或损坏的文件" },
	{ "no code: the jitdump does not contain it", "没有代码：jitdump 中没有它" },
	{ "no lines: the file has no debug information", "没有源代码行：文件没有调试信息" },
	{ "no source: * not found, or it has no line *",
	  "没有源代码：找不到 {1}，或其中没有第 {2} 行" },
	{ "other versions of the code have *% of its samples",
	  "其 {1}% 的采样来自该代码的其他版本" },
	{ "capstone of this build does not support that architecture",
	  "此构建的 capstone 不支持该架构" },
	{ "built without capstone: cannot disassemble", "构建时没有 capstone：无法反汇编" },

	/* src/store, src/load: inputs that cannot be opened or read */
	{ "cannot open *: it holds more than * files", "无法打开 {1}：其中的文件多于 {2} 个" },
	{ "cannot open *: *", "无法打开 {1}：{2}" },
	{ "cannot map *: *", "无法映射 {1}：{2}" },
	{ "cannot read *: *", "无法读取 {1}：{2}" },
	{ "cannot load *: *", "无法加载 {1}：{2}" },
	{ "* has more than * members", "{1} 的成员多于 {2} 个" },
	{ "Permission denied", "权限不足" },
	{ "No such file or directory", "没有该文件或目录" },
	{ "Is a directory", "是一个目录" },
	{ "Not a directory", "不是目录" },
	{ "Input/output error", "输入/输出错误" },
	{ "Cannot allocate memory", "内存不足" },
	{ "Bad message", "数据已损坏" },
	{ "No data available", "没有数据" },
	{ "File too large", "文件过大" },
	{ "Invalid argument", "参数无效" },
	{ "Too many levels of symbolic links", "符号链接层数过多" },
	{ "Operation not permitted", "操作不被允许" },
	{ "Interrupted system call", "被中断" },
};

const size_t pipa_n_message_formats = PIPA_COUNT(pipa_message_formats);

struct part {
	const char *pos;
	size_t len;
};

/* Match a text with a format to the parts for its asterisks, each the shortest possible. */
static bool match(const char *format, const char *text, const char *end, struct part *parts,
		  size_t n)
{
	const char *at;

	while (*format && *format != '*') {
		if (text == end || *format != *text)
			return false;
		format++;
		text++;
	}
	if (!*format)
		return text == end;
	if (n == MAX_PARTS)
		return false;
	for (at = text; at <= end; at++) {
		parts[n] = (struct part){ text, (size_t)(at - text) };
		if (match(format + 1, at, end, parts, n + 1))
			return true;
	}
	return false;
}

static bool put_chinese(const char *text, size_t len, unsigned int depth, struct pipa_buf *out);

/* Append a format with the parts in place of {1}, {2}...; parts that are messages are translated too. */
static void put_format(const char *chinese, const struct part *parts, unsigned int depth,
		       struct pipa_buf *out)
{
	for (; *chinese; chinese++) {
		if (chinese[0] == '{' && chinese[1] >= '1' && chinese[1] <= '8' &&
		    chinese[2] == '}') {
			const struct part *part = &parts[chinese[1] - '1'];

			if (!put_chinese(part->pos, part->len, depth + 1, out))
				pipa_buf_add(out, part->pos, part->len);
			chinese += 2;
		} else {
			pipa_buf_putc(out, *chinese);
		}
	}
}

/* Append the translation of a text; false if there is none. */
static bool put_chinese(const char *text, size_t len, unsigned int depth, struct pipa_buf *out)
{
	struct part parts[MAX_PARTS];
	size_t i;

	for (i = 0; depth < MAX_DEPTH && i < pipa_n_message_formats; i++)
		if (match(pipa_message_formats[i].english, text, text + len, parts, 0)) {
			put_format(pipa_message_formats[i].chinese, parts, depth, out);
			return true;
		}
	return false;
}

void pipa_message_put(const char *message, enum pipa_language language, struct pipa_buf *out)
{
	if (language == PIPA_LANGUAGE_ZH && put_chinese(message, strlen(message), 0, out))
		return;
	if (language == PIPA_LANGUAGE_ZH)
		pipa_buf_puts(out, "英文原文：");
	pipa_buf_puts(out, message);
}
