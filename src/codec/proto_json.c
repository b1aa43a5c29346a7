#include "codec/proto_json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "codec/base64.h"
#include "codec/varint.h"

enum { MAX_DEPTH = 64 };

/* Reads the text once, from the start to the end. */
struct reader {
	const uint8_t *start, *pos, *end;
	struct pipa_buf *out;
	struct pipa_buf plain; /* a string without its escapes, or decoded bytes */
	struct pipa_proto_json_unknown unknown;
	struct pipa_proto_error *err;
	const struct pipa_proto_message *message; /* in which the position is */
	const struct pipa_proto_field *field;
};

static int fail_at(struct reader *r, const uint8_t *at, const char *what)
{
	*r->err = (struct pipa_proto_error){ .offset = (uint64_t)(at - r->start),
					     .what = what,
					     .message = r->message,
					     .field = r->field };
	return -EBADMSG;
}

/* ---- tokens ------------------------------------------------------------------------------------ */

/* Skip white space; returns the next character, 0 at the end. */
static uint8_t peek(struct reader *r)
{
	while (r->pos < r->end &&
	       (*r->pos == ' ' || *r->pos == '\n' || *r->pos == '\r' || *r->pos == '\t'))
		r->pos++;
	return r->pos < r->end ? *r->pos : 0;
}

static int expect(struct reader *r, uint8_t c, const char *what)
{
	if (peek(r) != c)
		return fail_at(r, r->pos, what);
	r->pos++;
	return 0;
}

static int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Read the four digits after "\u"; -1 if they are not. */
static int32_t read_unit(struct reader *r)
{
	int32_t unit = 0;
	int i, digit;

	for (i = 0; i < 4; i++) {
		digit = r->pos < r->end ? hex_digit(*r->pos) : -1;
		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
		r->pos++;
	}
	return unit;
}

static void add_character(struct pipa_buf *out, uint32_t ch)
{
	char utf8[4];
	size_t n = ch < 0x80 ? 1 : ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4, i;

	for (i = n; i-- > 1; ch >>= 6)
		utf8[i] = (char)(0x80 | (ch & 0x3f));
	utf8[0] = (char)(n == 1 ? ch : (0xf00 >> n & 0xff) | ch);
	pipa_buf_add(out, utf8, n);
}

/* Read an escape, whose backslash has been read, and add its character to r->plain. */
static int read_escape(struct reader *r)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const uint8_t *at = r->pos - 1;
	const char *letter;
	int32_t unit, low;

	if (r->pos == r->end)
		return fail_at(r, at, "unterminated string");
	if (*r->pos != 'u') {
		letter = *r->pos ? strchr(letters, *r->pos) : NULL;
		if (!letter)
			return fail_at(r, at, "invalid escape in a string");
		pipa_buf_putc(&r->plain, meant[letter - letters]);
		r->pos++;
		return 0;
	}
	r->pos++;
	unit = read_unit(r);
	if (unit < 0)
		return fail_at(r, at, "invalid escape in a string");
	if (unit >= 0xd800 && unit < 0xdc00) {
		low = -1;
		if (r->end - r->pos >= 2 && r->pos[0] == '\\' && r->pos[1] == 'u') {
			r->pos += 2;
			low = read_unit(r);
		}
		if (low < 0xdc00 || low > 0xdfff)
			return fail_at(r, at, "unpaired surrogate in a string");
		unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
	} else if (unit >= 0xdc00 && unit < 0xe000) {
		return fail_at(r, at, "unpaired surrogate in a string");
	}
	add_character(&r->plain, (uint32_t)unit);
	return 0;
}

/* Return the length of the UTF-8 character at the position, 0 if it is invalid. */
static size_t character_length(const struct reader *r)
{
	size_t left = (size_t)(r->end - r->pos), len;
	unsigned char padded[8] = { 0 };

	if (left >= 4)
		return pipa_utf8_len(r->pos);
	memcpy(padded, r->pos, left);
	len = pipa_utf8_len(padded);
	return len <= left ? len : 0;
}

/* Read a string; the span is in the text or in r->plain and valid until the next string. */
static int read_string(struct reader *r, struct pipa_span *ret)
{
	const uint8_t *from, *at;
	bool copied = false;
	size_t len;
	int rc = expect(r, '"', "expected a string");

	at = r->pos - 1;
	from = r->pos;
	while (!rc) {
		if (r->pos == r->end)
			return fail_at(r, at, "unterminated string");
		if (*r->pos == '"')
			break;
		if (*r->pos == '\\') {
			if (!copied)
				pipa_buf_reset(&r->plain);
			copied = true;
			pipa_buf_add(&r->plain, from, (size_t)(r->pos - from));
			r->pos++;
			rc = read_escape(r);
			from = r->pos;
		} else if (*r->pos < ' ') {
			return fail_at(r, r->pos, "control character in a string");
		} else if (*r->pos < 0x80) {
			r->pos++;
		} else {
			len = character_length(r);
			if (!len)
				return fail_at(r, r->pos, "invalid UTF-8");
			r->pos += len;
		}
	}
	if (rc)
		return rc;
	*ret = (struct pipa_span){ from, (size_t)(r->pos - from) };
	if (copied) {
		pipa_buf_add(&r->plain, from, (size_t)(r->pos - from));
		*ret = (struct pipa_span){ (const uint8_t *)pipa_buf_str(&r->plain), r->plain.len };
	}
	r->pos++;
	return copied ? r->plain.status : 0;
}

static size_t skip_digits(struct reader *r)
{
	const uint8_t *from = r->pos;

	while (r->pos < r->end && *r->pos >= '0' && *r->pos <= '9')
		r->pos++;
	return (size_t)(r->pos - from);
}

/* Read a number as JSON has it, without its value. */
static int read_number(struct reader *r, struct pipa_span *ret)
{
	const uint8_t *from = r->pos;
	bool valid;

	if (r->pos < r->end && *r->pos == '-')
		r->pos++;
	if (r->pos < r->end && *r->pos == '0') {
		r->pos++;
		valid = true;
	} else {
		valid = skip_digits(r) > 0;
	}
	if (valid && r->pos < r->end && *r->pos == '.') {
		r->pos++;
		valid = skip_digits(r) > 0;
	}
	if (valid && r->pos < r->end && (*r->pos | 0x20) == 'e') {
		r->pos++;
		if (r->pos < r->end && (*r->pos == '+' || *r->pos == '-'))
			r->pos++;
		valid = skip_digits(r) > 0;
	}
	if (!valid)
		return fail_at(r, from, "malformed number");
	*ret = (struct pipa_span){ from, (size_t)(r->pos - from) };
	return 0;
}

/* Skip a word if it is next. */
static bool take_word(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	peek(r);
	if ((size_t)(r->end - r->pos) < len || memcmp(r->pos, word, len) != 0)
		return false;
	r->pos += len;
	return true;
}

/* Skip the value of an unknown key. */
static int skip_value(struct reader *r, unsigned int depth)
{
	uint8_t c = peek(r), end = c == '{' ? '}' : ']';
	struct pipa_span ignored;
	int rc = 0;

	if (c == '"')
		return read_string(r, &ignored);
	if (c != '{' && c != '[') {
		if (take_word(r, "true") || take_word(r, "false") || take_word(r, "null"))
			return 0;
		return c == '-' || (c >= '0' && c <= '9') ? read_number(r, &ignored) :
							    fail_at(r, r->pos, "expected a value");
	}
	if (depth > MAX_DEPTH)
		return -E2BIG;
	r->pos++;
	if (peek(r) == end) {
		r->pos++;
		return 0;
	}
	for (;;) {
		if (c == '{') {
			rc = read_string(r, &ignored);
			if (!rc)
				rc = expect(r, ':', "expected ':'");
		}
		if (!rc)
			rc = skip_value(r, depth + 1);
		if (rc)
			return rc;
		if (peek(r) != ',')
			return expect(r, end, "expected ',' or the end of the value");
		r->pos++;
	}
}

/* ---- values ------------------------------------------------------------------------------------ */

/*
 * Return the exact integer that a number of JSON is, also "1e3" and "2.50e1"; false if it has a fraction or exceeds
 * 64 bits.
 */
static bool parse_integer(struct pipa_span text, bool *ret_negative, uint64_t *ret)
{
	const uint8_t *pos = text.data, *end = pos + text.size, *e;
	bool negative = pos < end && *pos == '-', below = false;
	int64_t exponent = 0, point, digits = 0;
	uint64_t value = 0;

	pos += negative;
	for (e = pos; e < end && (*e | 0x20) != 'e';)
		e++;
	if (e + 1 < end) {
		const uint8_t *d = e + 1;

		below = *d == '-';
		for (d += *d == '-' || *d == '+'; d < end; d++)
			if (exponent < 1 << 30)
				exponent = exponent * 10 + (*d - '0');
	}
	/* digits before the point, then those that the exponent moves before it */
	for (point = 0; pos + point < e && pos[point] != '.';)
		point++;
	point += below ? -exponent : exponent;
	for (; pos < e; pos++) {
		if (*pos == '.')
			continue;
		if (digits++ >= point) {
			if (*pos != '0')
				return false;
		} else if (__builtin_mul_overflow(value, 10, &value) ||
			   __builtin_add_overflow(value, (uint64_t)(*pos - '0'), &value)) {
			return false;
		}
	}
	for (; value && digits < point; digits++)
		if (__builtin_mul_overflow(value, 10, &value))
			return false;
	*ret_negative = negative && value;
	*ret = value;
	return true;
}

/* Read a number, or a string that holds one. */
static int read_number_or_string(struct reader *r, struct pipa_span *ret)
{
	struct reader inside;
	struct pipa_span text;
	int rc;

	if (peek(r) != '"')
		return read_number(r, ret);
	inside = *r;
	rc = read_string(r, &text);
	if (rc)
		return rc;
	inside.start = inside.pos = text.data;
	inside.end = text.data + text.size;
	if (text.size == 0 || read_number(&inside, ret) || inside.pos != inside.end)
		return fail_at(r, r->pos - 1, "expected a number");
	return 0;
}

static int read_integer(struct reader *r, const struct pipa_proto_field *field, uint64_t *ret)
{
	const uint8_t *at;
	struct pipa_span text;
	uint64_t value, max;
	bool negative;
	int rc;

	peek(r);
	at = r->pos;
	rc = read_number_or_string(r, &text);
	if (rc)
		return rc;
	if (!parse_integer(text, &negative, &value))
		return fail_at(r, at, "number is not an integer of 64 bits");
	switch (field->type) {
	case PIPA_PROTO_INT32: max = (uint64_t)INT32_MAX + negative; break;
	case PIPA_PROTO_UINT32: max = negative ? 0 : UINT32_MAX; break;
	case PIPA_PROTO_INT64: max = (uint64_t)INT64_MAX + negative; break;
	default: max = negative ? 0 : UINT64_MAX;
	}
	if (value > max)
		return fail_at(r, at, "number out of range");
	*ret = negative ? 0 - value : value;
	return 0;
}

/* Copy a string to r->plain, unless it is there already. */
static int copy_to_plain(struct reader *r, struct pipa_span text)
{
	if (text.data == (const uint8_t *)r->plain.data)
		return r->plain.status;
	pipa_buf_reset(&r->plain);
	pipa_buf_add(&r->plain, text.data, text.size);
	return r->plain.status;
}

static int read_double(struct reader *r, uint64_t *ret)
{
	static const struct {
		const char *word;
		double value;
	} words[] = { { "\"NaN\"", NAN },
		      { "\"Infinity\"", INFINITY },
		      { "\"-Infinity\"", -INFINITY } };
	const uint8_t *at;
	struct pipa_span text;
	double value;
	size_t i;
	int rc;

	for (i = 0; i < PIPA_COUNT(words); i++)
		if (take_word(r, words[i].word)) {
			memcpy(ret, &words[i].value, sizeof(*ret));
			return 0;
		}
	at = r->pos;
	rc = read_number_or_string(r, &text);
	if (rc)
		return rc;
	rc = copy_to_plain(r, text); /* strtod() needs a string that ends */
	if (rc)
		return rc;
	value = strtod(pipa_buf_str(&r->plain), NULL);
	if (isinf(value))
		return fail_at(r, at, "number out of range");
	memcpy(ret, &value, sizeof(*ret));
	return 0;
}

static int read_bool(struct reader *r, uint64_t *ret)
{
	*ret = take_word(r, "true");
	return *ret || take_word(r, "false") ? 0 : fail_at(r, r->pos, "expected true or false");
}

/* Read the value of a field that is a number. */
static int read_scalar(struct reader *r, const struct pipa_proto_field *field, uint64_t *ret)
{
	switch (field->type) {
	case PIPA_PROTO_BOOL: return read_bool(r, ret);
	case PIPA_PROTO_DOUBLE: return read_double(r, ret);
	default: return read_integer(r, field, ret);
	}
}

static int read_hex(struct reader *r, struct pipa_span *ret)
{
	const uint8_t *at;
	struct pipa_span text;
	char *to;
	size_t i;
	int rc, high, low;

	peek(r);
	at = r->pos;
	rc = read_string(r, &text);
	if (rc)
		return rc;
	if (text.size % 2)
		return fail_at(r, at, "odd number of hexadecimal digits");
	rc = copy_to_plain(r, text);
	if (rc)
		return rc;
	to = r->plain.data;
	for (i = 0; i < text.size / 2; i++) {
		high = hex_digit((uint8_t)to[2 * i]);
		low = hex_digit((uint8_t)to[2 * i + 1]);
		if (high < 0 || low < 0)
			return fail_at(r, at, "expected hexadecimal digits");
		to[i] = (char)(high << 4 | low);
	}
	*ret = (struct pipa_span){ (const uint8_t *)to, text.size / 2 };
	return 0;
}

static int read_base64(struct reader *r, struct pipa_buf *decoded)
{
	const uint8_t *at;
	struct pipa_span text;
	int rc;

	peek(r);
	at = r->pos;
	rc = read_string(r, &text);
	if (!rc && !pipa_base64_take(decoded, (const char *)text.data, text.size))
		rc = fail_at(r, at, "malformed base64");
	return rc ? rc : decoded->status;
}

/* ---- fields ------------------------------------------------------------------------------------ */

static bool is_message(const struct pipa_proto_field *field)
{
	return field->message &&
	       (field->type == PIPA_PROTO_MESSAGE || field->type == PIPA_PROTO_RAW);
}

static bool is_number(const struct pipa_proto_field *field)
{
	return field->type < PIPA_PROTO_STRING;
}

static bool is_fixed(const struct pipa_proto_field *field)
{
	return field->type == PIPA_PROTO_FIXED64 || field->type == PIPA_PROTO_DOUBLE;
}

static void add_varint(struct pipa_buf *out, uint64_t value)
{
	uint8_t bytes[PIPA_VARINT_MAX];

	pipa_buf_add(out, bytes, (size_t)(pipa_proto_encode_varint(bytes, value) - bytes));
}

static void add_tag(struct pipa_buf *out, const struct pipa_proto_field *field,
		    enum pipa_proto_wire wire)
{
	add_varint(out, (uint64_t)field->number << 3 | wire);
}

static void add_number(struct pipa_buf *out, const struct pipa_proto_field *field, uint64_t value)
{
	uint8_t bytes[8];

	if (is_fixed(field)) {
		pipa_le_put(bytes, value, sizeof(bytes));
		pipa_buf_add(out, bytes, sizeof(bytes));
	} else {
		add_varint(out, value);
	}
}

static void add_bytes(struct pipa_buf *out, const struct pipa_proto_field *field,
		      struct pipa_span bytes)
{
	add_tag(out, field, PIPA_WIRE_BYTES);
	add_varint(out, bytes.size);
	if (bytes.size)
		pipa_buf_add(out, bytes.data, bytes.size);
}

/* Start a message or a packed list: room for a length of one byte. */
static size_t begin(struct pipa_buf *out, const struct pipa_proto_field *field)
{
	add_tag(out, field, PIPA_WIRE_BYTES);
	pipa_buf_putc(out, '\0');
	return out->len;
}

/* Insert the length of the bytes since begin(). */
static void end(struct pipa_buf *out, size_t start)
{
	uint8_t bytes[PIPA_VARINT_MAX];
	size_t len = out->len - start;
	size_t more = (size_t)(pipa_proto_encode_varint(bytes, len) - bytes) - 1;

	if (out->status)
		return;
	if (more) {
		pipa_buf_fill(out, '\0', more);
		if (out->status)
			return;
		memmove(out->data + start + more, out->data + start, len);
	}
	memcpy(out->data + start - 1, bytes, more + 1);
}

static int read_object(struct reader *r, const struct pipa_proto_message *message,
		       unsigned int depth);

/* Read a message, a string or bytes; one that is empty is left out unless it is `always` written. */
static int read_delimited(struct reader *r, const struct pipa_proto_field *field, bool always,
			  unsigned int depth)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf decoded = { .max = r->out->max };
	struct pipa_span bytes = { 0 };
	size_t start;
	int rc;

	if (is_message(field)) {
		start = begin(r->out, field);
		rc = read_object(r, field->message, depth + 1);
		end(r->out, start);
		return rc;
	}
	if (field->type == PIPA_PROTO_STRING) {
		rc = read_string(r, &bytes);
	} else if (field->type == PIPA_PROTO_ID) {
		rc = read_hex(r, &bytes);
	} else {
		rc = read_base64(r, &decoded);
		bytes = (struct pipa_span){ (const uint8_t *)decoded.data, decoded.len };
	}
	if (!rc && (bytes.size || always))
		add_bytes(r->out, field, bytes);
	return rc;
}

static int read_array(struct reader *r, const struct pipa_proto_field *field, unsigned int depth)
{
	bool packed = is_number(field);
	size_t start = 0;
	uint64_t value;
	int rc = expect(r, '[', "expected an array");

	if (rc)
		return rc;
	if (peek(r) == ']') {
		r->pos++;
		return 0;
	}
	if (packed)
		start = begin(r->out, field);
	for (;;) {
		if (packed) {
			rc = read_scalar(r, field, &value);
			if (!rc)
				add_number(r->out, field, value);
		} else {
			rc = read_delimited(r, field, true, depth);
		}
		if (!rc)
			rc = r->out->status;
		if (rc)
			return rc;
		if (peek(r) != ',')
			break;
		r->pos++;
	}
	if (packed)
		end(r->out, start);
	return expect(r, ']', "expected ',' or ']'");
}

static int read_field(struct reader *r, const struct pipa_proto_field *field, unsigned int depth)
{
	uint64_t value;
	int rc;

	if (field->repeated)
		return read_array(r, field, depth);
	if (!is_number(field))
		return read_delimited(r, field, field->oneof, depth);
	rc = read_scalar(r, field, &value);
	if (!rc && (value || field->oneof)) {
		add_tag(r->out, field, is_fixed(field) ? PIPA_WIRE_FIXED64 : PIPA_WIRE_VARINT);
		add_number(r->out, field, value);
	}
	return rc;
}

/* Is the key the name in lowerCamelCase? */
static bool is_key(const char *name, struct pipa_span key)
{
	const uint8_t *k = key.data, *last = k + key.size;
	bool capital = false;

	for (; *name; name++) {
		if (*name == '_') {
			capital = true;
			continue;
		}
		if (k == last ||
		    *k != (uint8_t)(capital && *name >= 'a' && *name <= 'z' ? *name - 32 : *name))
			return false;
		capital = false;
		k++;
	}
	return k == last;
}

/* Return the field of a key, NULL if there is none; `next` is where most are found. */
static const struct pipa_proto_field *find_key(const struct pipa_proto_message *message,
					       struct pipa_span key, uint16_t next)
{
	uint16_t i, at;

	for (i = 0; i < message->n_fields; i++) {
		at = (uint16_t)((next + i) % message->n_fields);
		if (is_key(message->fields[at].name, key))
			return &message->fields[at];
	}
	return NULL;
}

static void count_unknown(struct reader *r, const struct pipa_proto_message *message,
			  const uint8_t *at)
{
	if (!r->unknown.n++) {
		r->unknown.offset = (uint64_t)(at - r->start);
		r->unknown.message = message;
	}
}

/* Keys of one object that have been read. */
struct seen {
	uint32_t fields;
	bool oneof;
	uint16_t next;
};

/* Read a key and its value. */
static int read_entry(struct reader *r, const struct pipa_proto_message *message, struct seen *seen,
		      unsigned int depth)
{
	const struct pipa_proto_field *field;
	const uint8_t *at;
	struct pipa_span key;
	uint32_t bit;
	int rc;

	peek(r);
	at = r->pos;
	rc = read_string(r, &key);
	if (rc)
		return rc;
	field = find_key(message, key, seen->next);
	rc = expect(r, ':', "expected ':'");
	if (rc)
		return rc;
	if (!field) {
		count_unknown(r, message, at);
		return skip_value(r, depth);
	}
	r->field = field;
	seen->next = (uint16_t)(field - message->fields + 1);
	bit = (uint32_t)1 << (field - message->fields);
	if (seen->fields & bit)
		return fail_at(r, at, "key occurs twice");
	seen->fields |= bit;
	if (take_word(r, "null"))
		return 0;
	if (field->oneof && seen->oneof)
		return fail_at(r, at, "another field of the oneof is set already");
	seen->oneof |= field->oneof;
	return read_field(r, field, depth);
}

static int read_object(struct reader *r, const struct pipa_proto_message *message,
		       unsigned int depth)
{
	const struct pipa_proto_message *outer = r->message;
	struct seen seen = { 0 };
	int rc;

	if (depth > MAX_DEPTH)
		return -E2BIG;
	rc = expect(r, '{', "expected an object");
	if (rc)
		return rc;
	r->message = message;
	r->field = NULL;
	if (peek(r) == '}') {
		r->pos++;
		r->message = outer;
		return 0;
	}
	for (;;) {
		rc = read_entry(r, message, &seen, depth);
		if (rc)
			return rc;
		r->message = message;
		r->field = NULL;
		if (peek(r) != ',')
			break;
		r->pos++;
	}
	rc = expect(r, '}', "expected ',' or '}'");
	if (!rc)
		r->message = outer;
	return rc;
}

int pipa_proto_json_read(const struct pipa_proto_message *message, struct pipa_span text,
			 struct pipa_buf *out, struct pipa_proto_json_unknown *unknown,
			 struct pipa_proto_error *err)
{
	struct pipa_cursor all = pipa_span_cursor(text, false);
	struct reader r = {
		.start = all.pos, .pos = all.pos, .end = all.end, .out = out, .err = err
	};
	int rc;

	*err = (struct pipa_proto_error){ 0 };
	r.plain.max = text.size + 16;
	rc = read_object(&r, message, 0);
	if (!rc)
		rc = out->status;
	if (!rc && (peek(&r) || r.pos < r.end))
		rc = fail_at(&r, r.pos, "text after the end of the object");
	if (!rc && unknown)
		*unknown = r.unknown;
	pipa_buf_done(&r.plain);
	return rc;
}

bool pipa_proto_json_matches(const struct pipa_proto_message *message, struct pipa_span start)
{
	struct pipa_cursor all = pipa_span_cursor(start, false);
	struct pipa_proto_error err;
	struct reader r = { .start = all.pos, .pos = all.pos, .end = all.end, .err = &err };
	struct pipa_span key;
	bool ret;

	r.plain.max = start.size + 16;
	ret = expect(&r, '{', "") == 0 && peek(&r) == '"' && read_string(&r, &key) == 0 &&
	      peek(&r) == ':' && find_key(message, key, 0);
	pipa_buf_done(&r.plain);
	return ret;
}
