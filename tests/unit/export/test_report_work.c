#include "export/report/report_work.h"

#include <math.h>

#include "analyze/report/characterize.h"
#include "base/auto.h"
#include "base/buf.h"
#include "lib/test.h"

TEST(statements_are_written_with_both_languages_and_their_values)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	const struct pipa_characterization work = {
		.items = { { .id = "io",
			     .text = { "Disk <b>", "磁盘" },
			     .values = { { "rkB/s", 1.5, "kB/s" }, { "ipc", INFINITY, "" } },
			     .n_values = 2 },
			   { .id = "time", .text = { "a", "b" } } },
		.n = 2,
	};

	pipa_report_put_work(&work, &out);
	CHECK_STR(pipa_buf_str(&out),
		  "[{\"id\":\"io\",\"text\":{\"en\":\"Disk \\u003cb>\",\"zh\":\"磁盘\"},"
		  "\"values\":[[\"rkB/s\",1.5,\"kB/s\"],[\"ipc\",null,\"\"]]},"
		  "{\"id\":\"time\",\"text\":{\"en\":\"a\",\"zh\":\"b\"},\"values\":[]}]");
}
