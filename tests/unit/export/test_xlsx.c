#include "export/frame/xlsx.h"

#include <errno.h>
#include <stdio.h>

#include "base/buf.h"
#include "export/frame/result_frame.h"
#include "lib/test.h"

static FILE *file;

static int write_file(void *ctx, const char *bytes, size_t len)
{
	(void)ctx;
	return fwrite(bytes, 1, len, file) == len ? 0 : -EIO;
}

static void open_file(char path[512])
{
	snprintf(path, 512, "%s/t.xlsx", pipa_test_dir());
	file = fopen(path, "we");
	CHECK(file);
}

/* Run a Python program with the path of the workbook; openpyxl reads it. */
static void check_by_openpyxl(const char *path, const char *program)
{
	char command[4096];

	if (system("/usr/bin/python3 -c 'import openpyxl' 2> /dev/null") != 0)
		SKIP("no python3-openpyxl");
	pipa_test_file(pipa_test_dir(), "check.py", program);
	snprintf(command, sizeof(command), "/usr/bin/python3 '%s/check.py' '%s'", pipa_test_dir(),
		 path);
	CHECK_EQ(system(command), 0);
}

static const struct pipa_frame_column columns[] = {
	{ "text <&>", PIPA_FRAME_TEXT, true, NULL }, { "u64", PIPA_FRAME_U64, true, NULL },
	{ "f64", PIPA_FRAME_F64, true, NULL },	     { "bool", PIPA_FRAME_BOOL, true, NULL },
	{ "i64", PIPA_FRAME_I64, true, NULL },
};

TEST(openpyxl_reads_every_type_of_cell)
{
	struct pipa_frame_options options = { columns, PIPA_COUNT(columns), "pipa", write_file,
					      NULL };
	struct pipa_frame_writer *w = pipa_xlsx_new(&options);
	char path[512];

	open_file(path);
	pipa_frame_put_string(w, 0, "=1+1 <b>&\"' \xe6\x9c\x8d\n _x0041_ ");
	w->put(w, 1, UINT64_C(9007199254740993));
	w->put_f64(w, 2, 0.1);
	w->put(w, 3, true);
	w->put(w, 4, (uint64_t)INT64_C(-5));
	CHECK_EQ(w->end_row(w), 0);
	pipa_frame_put_string(w, 0, "\x01");
	w->put_f64(w, 2, 1e300);
	CHECK_EQ(w->end_row(w), 0);
	CHECK_EQ(w->end_row(w), 0); /* an empty row */
	CHECK_EQ(w->finish(w, NULL, 0), 0);
	w->free(w);
	fclose(file);
	check_by_openpyxl(path,
			  "import openpyxl, sys\n"
			  "book = openpyxl.load_workbook(sys.argv[1])\n"
			  "assert book.sheetnames == ['Sheet1'], book.sheetnames\n"
			  "rows = [[c.value for c in row] for row in book['Sheet1'].iter_rows()]\n"
			  "assert rows[0] == ['text <&>', 'u64', 'f64', 'bool', 'i64'], rows[0]\n"
			  "text = rows[1][0].replace('_x005F_', '_')\n"
			  "assert text in ('=1+1 <b>&\"\\' \\u670d\\n _x0041_ ', '=1+1 <b>&\"\\' "
			  "\\u670d\\n _x0041_ '), ascii(text)\n"
			  "assert book['Sheet1']['A2'].data_type != 'f'\n"
			  "assert rows[1][1:] == [9007199254740993, 0.1, True, -5], rows[1]\n"
			  "assert rows[2] == ['\\ufffd', None, 1e300, None, None], rows[2]\n");
}

TEST(empty_workbook_has_the_header)
{
	struct pipa_frame_options options = { columns, PIPA_COUNT(columns), "pipa", write_file,
					      NULL };
	struct pipa_frame_writer *w = pipa_xlsx_new(&options);
	char path[512];

	open_file(path);
	CHECK_EQ(w->finish(w, NULL, 0), 0);
	w->free(w);
	fclose(file);
	check_by_openpyxl(path, "import openpyxl, sys\n"
				"sheet = openpyxl.load_workbook(sys.argv[1])['Sheet1']\n"
				"assert sheet.max_row == 1 and sheet.max_column == 5\n");
}

TEST(text_longer_than_a_cell_is_refused)
{
	struct pipa_frame_options options = { columns, PIPA_COUNT(columns), "pipa", write_file,
					      NULL };
	struct pipa_frame_writer *w = pipa_xlsx_new(&options);
	static char text[32769];
	char path[512];

	open_file(path);
	memset(text, '&', sizeof(text) - 1);
	text[32767] = '\0';
	pipa_frame_put_string(w, 0, text);
	CHECK_EQ(w->end_row(w), 0);
	CHECK(!pipa_xlsx_long_column(w));
	text[32767] = '&';
	pipa_frame_put_string(w, 0, text);
	CHECK_EQ(w->end_row(w), -EFBIG);
	CHECK_STR(pipa_xlsx_long_column(w), columns[0].name);
	CHECK_EQ(w->finish(w, NULL, 0), -EFBIG);
	w->free(w);
	fclose(file);
}

TEST(rows_beyond_the_limit_of_a_sheet_go_to_the_next_one)
{
	static const struct pipa_frame_column one[] = { { "n", PIPA_FRAME_U64, false, NULL } };
	struct pipa_frame_options options = { one, 1, "pipa", write_file, NULL };
	struct pipa_frame_writer *w = pipa_xlsx_new(&options);
	char path[512];
	uint64_t i;

	open_file(path);
	for (i = 1; i <= 1048576 + 10; i++) {
		w->put(w, 0, i);
		CHECK_EQ(w->end_row(w), 0);
	}
	CHECK_EQ(w->finish(w, NULL, 0), 0);
	w->free(w);
	fclose(file);
	check_by_openpyxl(path,
			  "import openpyxl, sys, zipfile, re\n"
			  "archive = zipfile.ZipFile(sys.argv[1])\n"
			  "assert archive.testzip() is None\n"
			  "first = archive.read('xl/worksheets/sheet1.xml')\n"
			  "assert first.count(b'<row ') == 1048576\n"
			  "assert b'<row r=\"1048576\"><c r=\"A1048576\"><v>1048575</v>' in first\n"
			  "book = openpyxl.load_workbook(sys.argv[1], read_only=True)\n"
			  "assert book.sheetnames == ['Sheet1', 'Sheet2']\n"
			  "rows = [r[0] for r in book['Sheet2'].iter_rows(values_only=True)]\n"
			  "assert rows == ['n'] + list(range(1048576, 1048587)), rows\n");
}

TEST(frame_of_results_has_the_columns_of_the_table)
{
	static const uint32_t cpus[] = { 1, 2 };
	struct pipa_frame_columns of_results = pipa_result_frame_columns();
	struct pipa_frame_options options = { of_results.items, of_results.n, "pipa", write_file,
					      NULL };
	struct pipa_frame_writer *w = pipa_xlsx_new(&options);
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_result result = { 0 };
	char path[512];

	CHECK_EQ(of_results.n, 58);
	open_file(path);
	pipa_result_set_string(&result, PIPA_RESULT_WORKLOAD, "w");
	pipa_result_set_list(&result, cpus, 2);
	pipa_result_set_real(&result, PIPA_RESULT_CPU_USR, 0);
	pipa_result_set_number(&result, PIPA_RESULT_CYCLES, 7);
	CHECK_EQ(pipa_result_frame_put(w, (struct pipa_span){ (const uint8_t *)"abc", 3 },
				       1790000000123456, (struct pipa_span){ 0 }, &result, &text),
		 0);
	CHECK_EQ(w->finish(w, NULL, 0), 0);
	w->free(w);
	fclose(file);
	check_by_openpyxl(
		path, "import openpyxl, sys\n"
		      "rows = list(openpyxl.load_workbook(sys.argv[1])['Sheet1'].values)\n"
		      "row = dict(zip(rows[0], rows[1]))\n"
		      "assert len(rows[0]) == 58 and rows[0][:4] == ('hash', 'upload_time', "
		      "'record', 'workload')\n"
		      "assert row['hash'] == 'abc' and row['upload_time'] == 1790000000.123456\n"
		      "assert row['used_threads'] == '[1, 2]' and row['cpu_usr'] == 0\n"
		      "assert row['cycles'] == 7 and row['comment'] is None\n");
}
