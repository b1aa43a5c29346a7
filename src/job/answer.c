#include "job/answer.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbol/demangle.h"

enum {
	BATCH_MOST = 1 << 15, /* addresses: past some thousands a batch gains nothing more */
	READ_SIZE = 1 << 18,
	WORD_MOST = 4096, /* a longer one is no address, however it goes on */
};

struct answering {
	const struct pipa_answer_options *o;
	struct pipa_resolver *resolver;
	struct pipa_buf out;
	struct pipa_arena names; /* of the batch */
	struct {
		uint64_t *items;
		size_t n, cap;
	} addrs;
	struct pipa_answer_frame frames[PIPA_DWARF_FRAMES_MAX + 1];
	char name[PIPA_DEMANGLE_MAX + 1];
	uint64_t line; /* of the stream */
	int bad;
	bool said_hidden;
};

/* ---- one answer ------------------------------------------------------------------------------------------ */

/* Terminated and, if it is to be, readable; NULL without memory. */
static const char *name_of(struct answering *a, const char *name, size_t len)
{
	unsigned int flags = a->o->form == PIPA_ANSWER_ADDR2LINE ? PIPA_DEMANGLE_PARAMS : 0;
	size_t n = 0;

	if (!a->o->mangled && pipa_is_mangled(name, len))
		n = pipa_demangle(name, len, flags, a->name, sizeof(a->name));
	return n ? pipa_arena_text(&a->names, a->name, n) : pipa_arena_text(&a->names, name, len);
}

static void take_frame(struct answering *a, struct pipa_answer_frame *to,
		       const struct pipa_dwarf_frame *frame)
{
	*to = (struct pipa_answer_frame){ .file = frame->file,
					  .line = frame->line,
					  .column = frame->column,
					  .inlined = frame->inlined };
	if (frame->function)
		to->function = name_of(a, frame->function, strlen(frame->function));
}

/*
 * The outermost is called as the table of symbols has it, which tells clones and cold parts apart and is
 * what the offset counts from. addr2line calls it as the compiler wrote it, unless that is a mere
 * word where the symbol is a mangled name.
 */
static void name_outermost(struct answering *a, const struct pipa_resolved *row,
			   const char *written, struct pipa_answer_frame *to)
{
	if (!row->symbol || (row->by_range && a->o->form == PIPA_ANSWER_ADDR2LINE))
		return;
	if (a->o->form == PIPA_ANSWER_ADDR2LINE && written &&
	    (pipa_is_mangled(written, strlen(written)) ||
	     !pipa_is_mangled(row->symbol, row->symbol_len)))
		return;
	to->function = name_of(a, row->symbol, row->symbol_len);
	to->into = row->into;
	to->has_into = true;
}

/* addr2line without -i tells of the innermost function; we tell of the one that is there. */
static size_t make_frames(struct answering *a, const struct pipa_resolved *row,
			  const struct pipa_dwarf_frame *frames)
{
	size_t i, n = row->n_frames;

	for (i = 0; i < n; i++)
		take_frame(a, &a->frames[i], &frames[i]);
	if (!n) {
		a->frames[0] = (struct pipa_answer_frame){ 0 };
		name_outermost(a, row, NULL, &a->frames[0]);
		return a->frames[0].function != NULL;
	}
	name_outermost(a, row, frames[n - 1].function, &a->frames[n - 1]);
	if (!a->o->not_inlined)
		return n;
	if (a->o->form != PIPA_ANSWER_ADDR2LINE) {
		a->frames[0].function = a->frames[n - 1].function;
		a->frames[0].into = a->frames[n - 1].into;
		a->frames[0].has_into = a->frames[n - 1].has_into;
	}
	a->frames[0].inlined = false;
	return 1;
}

/* ---- batches --------------------------------------------------------------------------------------------- */

static int write_out(struct answering *a, struct pipa_error *err)
{
	int rc = a->out.status ? a->out.status :
				 pipa_file_write(a->o->out_fd, pipa_buf_str(&a->out), a->out.len);

	pipa_buf_reset(&a->out);
	return rc < 0 ? pipa_fail(err, rc, "write standard output") : 0;
}

/* Answer what was gathered. */
static int answer(struct answering *a, struct pipa_error *err)
{
	struct pipa_resolved_batch batch;
	size_t i;
	int rc;

	if (!a->addrs.n)
		return 0;
	rc = pipa_resolver_ask(a->resolver, a->addrs.items, a->addrs.n, &batch, err);
	if (rc < 0)
		return rc;
	for (i = 0; i < a->addrs.n; i++) {
		const struct pipa_resolved *row = &batch.rows[i];
		struct pipa_answer one = { .address = row->address,
					   .object = row->object,
					   .frames = a->frames };

		one.n = make_frames(a, row, batch.frames + row->frames);
		pipa_answer_write(&one, a->o->form, a->o->addresses, &a->out);
	}
	if (batch.kernel_hidden && !a->said_hidden) {
		a->said_hidden = true;
		a->o->note("the kernel's names are hidden from this user; root sees them");
	}
	a->addrs.n = 0;
	pipa_arena_done(&a->names);
	return write_out(a, err);
}

/* Who counts answers to a stream in addr2line's form shall not wait for one in vain. */
static int refuse_word(struct answering *a, const char *word, struct pipa_error *err)
{
	char text[160], where[40] = "";
	int rc = answer(a, err);

	if (rc < 0)
		return rc;
	if (a->line)
		snprintf(where, sizeof(where),
			 "standard input:%llu: ", (unsigned long long)a->line);
	snprintf(text, sizeof(text), "%s'%.60s' is no address", where, word);
	a->o->note(text);
	a->bad += a->bad < INT_MAX;
	if (a->o->form == PIPA_ANSWER_ADDR2LINE) {
		const struct pipa_answer nothing = { 0 };

		pipa_answer_write(&nothing, a->o->form, a->o->addresses, &a->out);
	}
	return write_out(a, err);
}

static int take_word(struct answering *a, const char *word, struct pipa_error *err)
{
	bool prefixed = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	const char *digits = prefixed ? word + 2 : word;
	uint64_t addr, *slot;

	if (pipa_str_hex(digits, &addr) < 0)
		return refuse_word(a, word, err);
	slot = PIPA_VEC_ADD(&a->addrs);
	if (!slot)
		return pipa_fail(err, -ENOMEM, "gather addresses");
	*slot = addr;
	return a->addrs.n < BATCH_MOST ? 0 : answer(a, err);
}

/* ---- streams --------------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f' || !c;
}

/* Whole lines; their ends become the words'. */
static int take_text(struct answering *a, char *text, size_t len, struct pipa_error *err)
{
	char *end = text + len, *word, ended;
	int rc = 0;

	for (; !rc && text < end; text++) {
		if (!is_blank(*text)) {
			for (word = text; text < end && !is_blank(*text);)
				text++;
			ended = *text;
			*text = '\0';
			rc = take_word(a, word, err);
		} else {
			ended = *text;
		}
		a->line += ended == '\n';
	}
	return rc ? rc : answer(a, err);
}

static ssize_t read_some(int fd, char *to, size_t size)
{
	ssize_t n;

	do {
		n = read(fd, to, size);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* How much of it are whole lines; of a line without end, whole words, or all when there is none. */
static size_t whole(const char *text, size_t len, bool last)
{
	const char *end = memrchr(text, '\n', len);
	size_t n = len;

	if (last)
		return len;
	if (end)
		return (size_t)(end - text) + 1;
	if (len < READ_SIZE)
		return 0;
	while (n && !is_blank(text[n - 1]))
		n--;
	return n && len - n < WORD_MOST ? n : len;
}

static int take_stream(struct answering *a, struct pipa_error *err)
{
	PIPA_AUTO(free) char *text = malloc(READ_SIZE + 1);
	size_t len = 0, n;
	ssize_t got = 1;
	int rc = text ? 0 : pipa_fail(err, -ENOMEM, "read standard input");

	a->line = 1;
	while (!rc && got > 0) {
		got = read_some(a->o->in_fd, text + len, READ_SIZE - len);
		if (got < 0)
			return pipa_fail(err, (int)got, "read standard input");
		len += (size_t)got;
		n = whole(text, len, got == 0);
		text[len] = '\0';
		rc = take_text(a, text, n, err);
		memmove(text, text + n, len - n);
		len -= n;
	}
	return rc;
}

int pipa_answer_run(const struct pipa_answer_options *o, struct pipa_error *err)
{
	struct answering *a = calloc(1, sizeof(*a));
	size_t i;
	int rc;

	if (!a)
		return pipa_fail(err, -ENOMEM, "begin to answer");
	a->o = o;
	a->out.max = 1 << 30;
	rc = pipa_resolver_open(&o->resolver, &a->resolver, err);
	for (i = 0; !rc && i < o->n_words; i++)
		rc = take_word(a, o->words[i], err);
	if (!rc)
		rc = o->n_words ? answer(a, err) : take_stream(a, err);
	if (!rc)
		rc = a->bad;
	pipa_resolver_close(a->resolver);
	pipa_arena_done(&a->names);
	pipa_buf_done(&a->out);
	free(a->addrs.items);
	free(a);
	return rc;
}
