/*
 * reference_row_test.c - pins the reference rows.
 *
 * The values were computed by a second implementation, written from the
 * definition at the top of common/reference_row.c. They may never change: a
 * digest of one release is compared with that of another.
 */
#include "reference_row.h"

#include <stdlib.h>

#include "unit.h"

typedef struct Pin
{
	int64_t seed, i, code, created_at_us, amount_cents;
	double ratio;
	bool active;
	const char *label;
	const char *note; /* NULL is null */
} Pin;

static const Pin pins[] = {
	{0, 1, 2558736989570252433, 631146081668180, -3819348371, 0x1.e710dc7a64e24p-11, true, "\\N",
	 "nKMq667LiXMU tshz118Oe4Q1fXyo"},
	{0, 2, 3391245575278488096, 617015912887734, 43932234045, 0x1.fd946ae71e2c1p-8, false,
	 "left\tright", "qeKOTUFrRHFufPn9uXnTEBv v52ud qIk"},
	{0, 3, 833576254290507114, 727497914540967, 49492352177, 0x1.f6859b7d4a66fp-2, false, "o'clock",
	 "kQ5alHmeIh aSSEzXW3n3oAzjfA"},
	{0, 10, 822811233764902886, 729781723150684, -44785728649, -0x1.6ff503325aa06p-12, true,
	 "left\tright", "lzssI1RylOkRN745Ia 8DZJ8BQXpwvNNbFU9tjtf"},
	{0, 1000000, -7804747111791715630, 712887480866661, 53348791510, -0x1.f276d2dd5b72ap-6, false,
	 "lift-off \xf0\x9f\x9a\x80", NULL},
	{42, 1, 7138415436909018950, 715005995781456, -28219947830, 0x1.9a7e5c0b8be62p-13, false,
	 "next day", "DSjsiZ7ZmgtTxcwNBtVCmJPKuTuh"},
	{42, 10, -1244276707670627295, 740606640818830, -11371146040, -0x1.d840ab0400942p-11, false,
	 "lift-off \xf0\x9f\x9a\x80", NULL},
	{-1, -1, -669906204287624628, 572328012740812, -55905267338, -0x1.8b42be9bfbe99p-12, true,
	 "\xe6\x95\xb0\xe6\x8d\xae\xe5\xba\x93", "akXIfF5KiMbZcAR3TnZ NTCSSKvJAUOZa"},
	{0, INT64_MIN, 601087715689836172, 729023355002991, -71098846427, 0x1.c1cacfceb9e78p-8, true,
	 "\\N", "hTSkmp0mhrl2XHLPXZUYd0mX4JMOT cXPa6p"},
	{0, 0, 6235967106033911276, 756144601436555, 48016496389, -0x1.7aec644539b6cp-4, true,
	 "left\tright", "BfaQ uoWaula04YprJkxFTn86NlD"},
};

static const char *const labels[] = {
	"",
	"standard",
	"next day",
	"12\" pipe",
	"o'clock",
	"\\N",
	"left\tright",
	"line one\nline two",
	"carriage\rreturn",
	"na\xc3\xafve caf\xc3\xa9",
	"lift-off \xf0\x9f\x9a\x80",
	"\xe6\x95\xb0\xe6\x8d\xae\xe5\xba\x93",
	"trailing blank ",
	"NA",
	"null",
	"</script>",
};

#define LABELS (sizeof(labels) / sizeof(labels[0]))

static const char *
named(const Pin *pin, const char *column)
{
	static char name[100];

	snprintf(name, sizeof(name), "seed %" PRId64 ", row %" PRId64 ": %s", pin->seed, pin->i,
			 column);
	return name;
}

static void
check_pin(const Pin *pin)
{
	ReferenceRow row;

	memset(&row, 0xff, sizeof(row)); /* nothing of an earlier row may show */
	reference_row_make(&row, pin->i, pin->seed);
	unit_equal_int(row.id, pin->i, named(pin, "id"));
	unit_equal_int(row.code, pin->code, named(pin, "code"));
	unit_equal_int(row.created_at_us, pin->created_at_us, named(pin, "created_at"));
	unit_equal_int(row.amount_cents, pin->amount_cents, named(pin, "amount"));
	unit_equal_double(row.ratio, pin->ratio, named(pin, "ratio"));
	unit_equal_int(row.active, pin->active, named(pin, "active"));
	unit_equal_bytes(row.label, row.label_length, pin->label, named(pin, "label"));
	unit_equal_int(row.note_is_null, pin->note == NULL, named(pin, "note is null"));
	unit_equal_bytes(row.note, row.note_length, pin->note ? pin->note : "", named(pin, "note"));
	unit_equal_int(row.note[row.note_length], '\0', named(pin, "note is terminated"));
}

static void
check_column_names(void)
{
	static const char *const names[] = {"id",    "code",   "created_at", "amount",
										"ratio", "active", "label",      "note"};

	for (int i = 0; i < REFERENCE_ROW_COLUMNS; i++)
		unit_equal_bytes(reference_row_column_names[i], strlen(reference_row_column_names[i]),
						 names[i], "column name in table order");
}

static bool
note_is_well_formed(const ReferenceRow *row)
{
	const char *note = row->note;
	size_t length = row->note_length;

	if (row->note_is_null)
		return length == 0 && note[0] == '\0';
	if (length < 24 || length > REFERENCE_NOTE_MAX || note[length] != '\0')
		return false;
	if (note[0] == ' ' || note[length - 1] == ' ')
		return false;
	return strspn(note, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ") ==
		   length;
}

static bool
ratio_is_well_formed(double ratio)
{
	double magnitude = ratio < 0 ? -ratio : ratio;

	return magnitude >= 0x1p-16 && magnitude < 1;
}

/* What was seen over many rows of seed 0. */
typedef struct Survey
{
	int rows, nulls, active, negative_ratios, negative_amounts, ratios_below_half_a_thousandth;
	int malformed_notes, malformed_ratios, created_at_out_of_range, amounts_out_of_range;
	int longest_note, shortest_note;
	int64_t note_bytes;
	uint64_t code_bits_or, code_bits_and;
	int label_counts[LABELS];
	int unknown_labels;
} Survey;

static void
survey_label(Survey *survey, const ReferenceRow *row)
{
	for (size_t i = 0; i < LABELS; i++)
	{
		if (row->label_length == strlen(labels[i]) && strcmp(row->label, labels[i]) == 0)
		{
			survey->label_counts[i]++;
			return;
		}
	}
	survey->unknown_labels++;
}

static void
survey_note(Survey *survey, const ReferenceRow *row)
{
	survey->malformed_notes += !note_is_well_formed(row);
	survey->nulls += row->note_is_null;
	survey->note_bytes += row->note_length;
	if (row->note_is_null)
		return;
	if (row->note_length > survey->longest_note)
		survey->longest_note = row->note_length;
	if (row->note_length < survey->shortest_note)
		survey->shortest_note = row->note_length;
}

static void
survey_row(Survey *survey, const ReferenceRow *row)
{
	const int64_t first_us = INT64_C(568080000000000);  /* 2018-01-01 */
	const int64_t behind_us = INT64_C(820540800000000); /* 2026-01-01 */

	survey->rows++;
	survey->active += row->active;
	survey->negative_ratios += row->ratio < 0;
	survey->malformed_ratios += !ratio_is_well_formed(row->ratio);
	survey->ratios_below_half_a_thousandth += row->ratio > -0.00005 && row->ratio < 0.00005;
	survey->negative_amounts += row->amount_cents < 0;
	survey->amounts_out_of_range += llabs(row->amount_cents) > INT64_C(100000000000);
	survey->created_at_out_of_range +=
		row->created_at_us < first_us || row->created_at_us >= behind_us;
	survey->code_bits_or |= (uint64_t) row->code;
	survey->code_bits_and &= (uint64_t) row->code;
	survey_label(survey, row);
	survey_note(survey, row);
}

static Survey
survey_rows(int rows)
{
	Survey survey = {.shortest_note = INT32_MAX, .code_bits_and = UINT64_MAX};
	ReferenceRow row;

	for (int i = 1; i <= rows; i++)
	{
		reference_row_make(&row, i, 0);
		survey_row(&survey, &row);
	}
	return survey;
}

static void
check_between(double got, double low, double high, const char *name)
{
	if (!unit_ok(got >= low && got <= high, name))
		printf("# got %.17g, wanted %.17g to %.17g\n", got, low, high);
}

static void
check_thousand_rows(void)
{
	Survey survey = survey_rows(1000);

	for (size_t i = 0; i < LABELS; i++)
		unit_ok(survey.label_counts[i] > 0, "each label is in the first 1000 rows");
	unit_equal_int(survey.unknown_labels, 0, "no other label, lengths right");
}

static void
check_distribution(void)
{
	Survey survey = survey_rows(100000);

	check_between(survey.nulls, 9700, 10300, "note is null in one row of ten");
	check_between((double) survey.note_bytes / (survey.rows - survey.nulls), 31.8, 32.2,
				  "a note has about 32 bytes");
	unit_equal_int(survey.shortest_note, 24, "shortest note");
	unit_equal_int(survey.longest_note, REFERENCE_NOTE_MAX, "longest note");
	unit_equal_int(survey.malformed_notes, 0, "notes: characters, ends, terminator");
	check_between(survey.active, 49500, 50500, "active in half of the rows");
	check_between(survey.negative_ratios, 49500, 50500, "ratio is negative in half of the rows");
	unit_equal_int(survey.malformed_ratios, 0, "2^-16 <= |ratio| < 1");
	check_between(survey.ratios_below_half_a_thousandth, 8000, 13000,
				  "some ratios are 0 when rounded to four decimals");
	check_between(survey.negative_amounts, 49500, 50500, "amount is negative in half of the rows");
	unit_equal_int(survey.amounts_out_of_range, 0, "amount fits numeric(12,2)");
	unit_equal_int(survey.created_at_out_of_range, 0, "created_at from 2018 to 2025");
	unit_equal_hash(survey.code_bits_or, UINT64_MAX, "every bit of code is set somewhere");
	unit_equal_hash(survey.code_bits_and, 0, "every bit of code is clear somewhere");
}

static void
check_seeds_differ(void)
{
	ReferenceRow of_seed_0;
	ReferenceRow of_seed_1;
	int equal_codes = 0;

	for (int i = 1; i <= 1000; i++)
	{
		reference_row_make(&of_seed_0, i, 0);
		reference_row_make(&of_seed_1, i, 1);
		equal_codes += of_seed_0.code == of_seed_1.code;
	}
	unit_equal_int(equal_codes, 0, "rows of two seeds have different codes");
}

static void
check_extremes(void)
{
	static const int64_t extremes[] = {INT64_MIN, INT64_MIN + 1, -1, 0, INT64_MAX};
	ReferenceRow row;

	for (size_t i = 0; i < 5; i++)
	{
		for (size_t s = 0; s < 5; s++)
		{
			reference_row_make(&row, extremes[i], extremes[s]);
			unit_ok(row.id == extremes[i] && note_is_well_formed(&row) &&
						ratio_is_well_formed(row.ratio),
					"extreme row number and seed");
		}
	}
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(pins) / sizeof(pins[0]); i++)
		check_pin(&pins[i]);
	check_column_names();
	check_thousand_rows();
	check_distribution();
	check_seeds_differ();
	check_extremes();
	return unit_done();
}
