/* Unwind tables of a profile's objects, as ingest asks for them. */
#include "symbolize/unwind_tables.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/test.h"
#include "symbol/table/image.h"
#include "symbolize/code_files.h"
#include "unwind/unwind.h"

static const struct pipa_locate_options locate;
static struct pipa_profile profile;
static struct pipa_recording recording;
static struct pipa_code_files *files;
static struct pipa_unwind_tables *tables;

static uint32_t add_object(enum pipa_object_kind kind, const char *path)
{
	struct pipa_object object = { .kind = kind, .path = pipa_profile_text(&profile, path) };

	return pipa_profile_object(&profile, &object);
}

/* This program as object 0; `live`: its process runs now. */
static struct pipa_unwind_source start(bool live)
{
	char path[4096] = { 0 };

	CHECK(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	CHECK_EQ(add_object(PIPA_OBJECT_FILE, path), 0);
	files = pipa_code_files_new(&locate, &profile, live ? NULL : &recording);
	tables = pipa_unwind_tables_new(files);
	CHECK(tables);
	return pipa_unwind_tables_source(tables);
}

static void stop(void)
{
	pipa_unwind_tables_free(tables);
	pipa_code_files_free(files);
	pipa_profile_done(&profile);
}

/* The address of main() as linked. */
static uint64_t main_at(void)
{
	const struct pipa_located *located = pipa_code_file_located(pipa_code_files_get(files, 0));
	uint64_t at = pipa_image_find(located->main, "main");

	CHECK(at);
	return at;
}

TEST(a_table_is_kept_while_its_file_is_released)
{
	struct pipa_unwind_source source = start(false);
	const struct pipa_unwind_table *table = pipa_unwind_tables_get(tables, 0);
	uint64_t linked;

	CHECK(table);
	pipa_code_files_release_all(files);
	CHECK(pipa_unwind_tables_get(tables, 0) == table);
	source.table(source.ctx, 0, 0, &linked); /* a freed one is noticed by the sanitizer */
	CHECK_EQ(pipa_unwind_tables_status(tables), 0);
	stop();
}

TEST(only_an_object_that_a_stack_leads_into_is_used)
{
	struct pipa_unwind_source source = start(false);
	uint64_t linked;

	CHECK(pipa_unwind_tables_get(tables, 0));
	CHECK(!pipa_unwind_tables_used(tables, 0));
	source.table(source.ctx, 0, 0, &linked);
	CHECK(pipa_unwind_tables_used(tables, 0));
	stop();
}

TEST(objects_without_files_have_no_table)
{
	struct pipa_unwind_source source = start(false);
	uint64_t linked;
	uint32_t gone = add_object(PIPA_OBJECT_FILE, "/nowhere/a");
	uint32_t kernel = add_object(PIPA_OBJECT_KERNEL, "[kernel.kallsyms]");

	CHECK(!source.table(source.ctx, gone, 0, &linked));
	CHECK(!source.table(source.ctx, kernel, 0, &linked));
	CHECK(!pipa_unwind_tables_get(tables, 99));
	CHECK_EQ(source.status(source.ctx), 0);
	stop();
}

TEST(the_function_of_an_address_is_found_by_its_symbol)
{
	struct pipa_unwind_source source = start(false);
	struct pipa_unwind_function function;
	uint64_t at;

	CHECK(pipa_unwind_tables_get(tables, 0));
	at = main_at();
	CHECK(source.function(source.ctx, 0, at + 4, &function));
	CHECK_EQ(function.start, at);
	CHECK(function.end > at + 4);
	pipa_code_files_release_all(files); /* its symbols are kept */
	CHECK(source.function(source.ctx, 0, at + 4, &function));
	CHECK(!source.function(source.ctx, 0, 1, &function));
	stop();
}

TEST(code_is_read_only_from_processes_that_run)
{
	CHECK(!start(false).code);
	stop();
	profile = (struct pipa_profile){ 0 };
	CHECK(start(true).code);
	stop();
}
